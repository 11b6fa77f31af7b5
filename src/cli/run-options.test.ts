import { expect, test } from "bun:test";
import { parseArgv } from "./argv.ts";
import { readRunOptions } from "./run-options.ts";

const read = (...argv: string[]) => readRunOptions(parseArgv(argv).flags);

test("a run without flags mediates writes and programs and keeps answers for the project", () => {
  expect(read()).toMatchObject({
    rules: [],
    implicit: true,
    prompt: undefined,
    save: "project",
    fence: "auto",
    log: undefined,
    wait: false,
  });
  expect([...read().mediate]).toEqual(["write", "exec"]);
});

test("rules keep their order and their kind", () => {
  const { rules } = read("--deny-path", "/a", "--rule=allow exec /b", "--rules", "/f", "--allow-exec=@vcs");
  expect(rules).toMatchObject([
    { action: "deny", category: "write", target: "/a", isForever: true },
    { type: "line", line: "allow exec /b" },
    { type: "file", file: "/f" },
    { action: "allow", category: "exec", target: "@vcs", isForever: false },
  ]);
});

test("a rule about connections turns network mediation on", () => {
  expect([...read("--allow-connect", "tcp:1.2.3.4:5").mediate]).toContain("connect");
  expect([...read("--mediate=none", "--deny-connect", "all").mediate]).toEqual(["connect"]);
  expect([...read("--mediate=none").mediate]).toEqual([]);
});

test("--log and --wait work with and without a value", () => {
  expect(read("--log").log).toEqual({ file: undefined });
  expect(read("--log=/l").log).toEqual({ file: "/l" });
  expect(read("--wait=all").wait).toBe(true);
});

test.each([
  [["--mediate=write,exce"], "did you mean exec?"],
  [["--mediate=write,"], "nothing is no category"],
  [["--timeout=soon"], "write 90s, 10m"],
  [["--allow-tty"], "--no-implicit"],
  [["--as", "me"], "--checks"],
])("%j is refused before anything starts", (argv, message) => {
  expect(() => read(...argv)).toThrow(message);
});
