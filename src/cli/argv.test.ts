import { describe, expect, test } from "bun:test";
import { UsageError } from "../errors.ts";
import { parseArgv } from "./argv.ts";
import { completions } from "./completions.ts";
import { COMMANDS, RUN_FLAGS } from "./definition.ts";
import { commandHelp, helpText } from "./help.ts";
import { manPage } from "./man.ts";

describe("the command line", () => {
  test("without words runs the shell", () => {
    expect(parseArgv([])).toMatchObject({ type: "run", command: [] });
  });

  test("gives the program everything after --", () => {
    const parsed = parseArgv(["--prompt=deny", "--", "sh", "--prompt=allow", "--", "-c"]);
    expect(parsed).toMatchObject({ type: "run", command: ["sh", "--prompt=allow", "--", "-c"] });
    expect(parsed.flags.text("prompt")).toBe("deny");
  });

  test("takes values with = and as the next word, the last of a kind counts, the order is kept", () => {
    const { flags } = parseArgv([
      "--allow-path",
      "/a=b",
      "--deny-path=/c",
      "--allow-path=/d",
      "--timeout",
      "5s",
      "--timeout=6s",
    ]);
    expect(flags.given.slice(0, 3)).toEqual([
      { name: "allow-path", value: "/a=b" },
      { name: "deny-path", value: "/c" },
      { name: "allow-path", value: "/d" },
    ]);
    expect(flags.text("timeout")).toBe("6s");
  });

  test("reads a value that may be left out only after =", () => {
    expect(parseArgv(["--log", "--wait", "--", "x"]).flags.given).toEqual([
      { name: "log", value: true },
      { name: "wait", value: true },
    ]);
    expect(parseArgv(["--log=/l", "--wait=all"]).flags.text("log")).toBe("/l");
  });

  test.each([
    [["--alow-path", "/x"], "did you mean --allow-path?"],
    [["--promt=deny"], "did you mean --prompt?"],
    [["-x"], "hallpass has no flag -x"],
    [["--prompt=dney"], "did you mean deny?"],
    [["--prompt"], "--prompt needs MODE"],
    [["--prompt", "--", "sh"], "--prompt needs MODE"],
    [["--no-implicit=yes"], "takes no value"],
    [["--log="], "needs FILE"],
    [["anser"], "did you mean answer?"],
    [["bash"], "hallpass -- bash"],
    [["--secrets", "sessions"], "is for running a program"],
    [["sessions", "1"], "usage: hallpass sessions"],
    [["sessions", "--jsno"], "did you mean --json?"],
    [["why", "write"], "usage: hallpass why CATEGORY TARGET [PID]"],
  ])("%j is a slip that is named", (argv, message) => {
    expect(() => parseArgv(argv)).toThrow(UsageError);
    expect(() => parseArgv(argv)).toThrow(message);
  });

  test("of a command takes flags before and after its words", () => {
    const parsed = parseArgv(["answer", "--json", "12", "add", "--scope=session", "allow write /x"]);
    expect(parsed).toMatchObject({ type: "command", words: ["12", "add", "allow write /x"] });
    expect(parsed.flags.has("json")).toBe(true);
  });
});

test("help names every flag and command, in lines that fit", () => {
  const text = helpText();
  for (const flag of RUN_FLAGS) expect(text).toContain(`--${flag.name}`);
  for (const command of COMMANDS) expect(text).toContain(command.name);
  expect(text.split("\n").filter((line) => line.length > 110)).toEqual([]);
  expect(commandHelp(COMMANDS[0]!)).toContain("--scope SCOPE");
});

test("completions are what their shell can read, and complete", () => {
  const script = completions("bash");
  const complete = (line: string): string => {
    const words = line.split(" ");
    const program = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _hallpass; echo "\${COMPREPLY[*]}"`;
    return Bun.spawnSync(["bash", "-c", program]).stdout.toString().trim();
  };
  expect(complete("hallpass --allow-p")).toBe("--allow-path=");
  expect(complete("hallpass --prompt = de")).toBe("desktop deny");
  expect(complete("hallpass an")).toBe("answer");
  expect(complete("hallpass answer ad")).toBe("add");
  expect(complete("hallpass --allow-path /et")).toBe("/etc");
});

test("the man page names every flag and command, and man can read it", () => {
  const page = manPage("1.2.3");
  for (const flag of RUN_FLAGS) expect(page).toContain(`\\-\\-${flag.name.replaceAll("-", "\\-")}`);
  for (const command of COMMANDS) expect(page).toContain(`.B ${command.name}`);
  expect(page.split("\n").filter((line) => line.startsWith(".") && !/^\.(TH|SH|TP|B|br)\b/.test(line))).toEqual([]);
});
