/** The man page, from the definition; `npm run build` writes it to build/hallpass.1. */
import pack from "../../package.json";
import { COMMANDS, RUN_FLAGS } from "./definition.ts";
import { flagSpelling } from "./help.ts";

export function manPage(version: string): string {
  return [
    `.TH HALLPASS 1 "" "hallpass ${version}" "User Commands"`,
    ".SH NAME",
    "hallpass \\- run a program and be asked before it writes outside the project",
    ".SH SYNOPSIS",
    ".B hallpass\n[\\fIflags\\fR] [\\fB\\-\\-\\fR \\fICMD\\fR [\\fIARG\\fR...]]",
    ".br\n.B hallpass\n\\fICOMMAND\\fR ...",
    ".SH DESCRIPTION",
    "hallpass runs a program (an AI coding agent, a shell, an installer, a build) and asks the user before the program",
    "writes outside the project, runs an unusual program or, where asked to, uses the network. The kernel pauses the",
    "call; nothing the program does can skip the question. Without a program, hallpass opens a sandboxed shell.",
    ".SH COMMANDS",
    ...COMMANDS.flatMap(({ name, usage, summary }) => [
      ".TP",
      `.B ${roff(`${name} ${usage}`.trimEnd())}`,
      roff(summary),
    ]),
    ".SH OPTIONS",
    ...RUN_FLAGS.flatMap((flag) => [
      ".TP",
      `.B ${roff(flagSpelling(flag))}`,
      roff(
        [
          flag.summary,
          flag.choices && flag.choices.length > 1 ? `One of ${flag.choices.join(", ")}.` : "",
          flag.fallback === undefined ? "" : `Default: ${flag.fallback}.`,
        ]
          .filter(Boolean)
          .join(" "),
      ),
    ]),
    ".SH EXIT STATUS",
    "CMD's own; 128+N where signal N ended it; 125 where hallpass itself failed, 126 where CMD could not be run, 127 where",
    "it was not found, 2 for a slip on the command line.",
    ".SH FILES",
    ".TP\n.B ~/.config/hallpass/rules\nRules for every project.",
    ".TP\n.B ~/.config/hallpass/projects/\nOne file of rules a project.",
    ".TP\n.B $XDG_RUNTIME_DIR/hallpass/\nThe sockets of running sessions.",
    "",
  ].join("\n");
}

function roff(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&");
}

if (import.meta.main) process.stdout.write(manPage(pack.version));
