/** --help, from the definition. */
import { COMMANDS, type Command, type Flag, RUN_FLAGS } from "./definition.ts";

const COLUMN = 26;
const WIDTH = 100;

export function helpText(): string {
  return [
    "hallpass runs a program and asks before it writes outside the project, runs an unusual program",
    "or, where asked to, uses the network.",
    "",
    "usage: hallpass [flags] [-- CMD ARG...]   run CMD (default: your shell)",
    "       hallpass COMMAND ...               one of the commands below",
    "",
    "commands:",
    ...COMMANDS.map((command) => row(`  ${command.name} ${command.usage}`.trimEnd(), COLUMN, command.summary)),
    "",
    "flags:",
    ...RUN_FLAGS.map(flagRow),
    "",
    "A duration is 90s, 10m, 2h or 1h30m. Exit code: CMD's own; 128+N where signal N ended it; 125 where hallpass",
    "failed, 126 where CMD could not be run, 127 where it was not found, 2 for a slip on the command line.",
    "",
  ].join("\n");
}

export function commandHelp(command: Command): string {
  return [
    `usage: hallpass ${command.name} ${command.usage}`.trimEnd(),
    "",
    `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    ...(command.flags.length > 0 ? ["", "flags:", ...command.flags.map(flagRow)] : []),
    "",
  ].join("\n");
}

export function flagSpelling(flag: Flag): string {
  if (flag.value === undefined) return `--${flag.name}`;
  return flag.isValueOptional ? `--${flag.name}[=${flag.value}]` : `--${flag.name} ${flag.value}`;
}

function flagRow(flag: Flag): string {
  const choices = flag.choices && flag.choices.length > 1 ? ` (${flag.choices.join(", ")})` : "";
  const fallback = flag.fallback === undefined ? "" : ` [${flag.fallback}]`;
  return row(`  ${flagSpelling(flag)}`, COLUMN, `${flag.summary}${choices}${fallback}`);
}

/** A word and what it means beside it, wrapped. */
function row(left: string, column: number, text: string): string {
  const lines: string[] = [];
  let line = left.padEnd(column);
  if (left.length >= column) {
    lines.push(left);
    line = " ".repeat(column);
  }
  for (const word of text.split(" ")) {
    if (line.length + word.length > WIDTH && line.trim() !== "") {
      lines.push(line.trimEnd());
      line = " ".repeat(column);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join("\n");
}
