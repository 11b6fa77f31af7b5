import { expect, test } from "bun:test";
import { descendants, lineage, parseStat, readCommand, readStat } from "./process-table.ts";

test("reads the parent of a process whose name holds parentheses and spaces", () => {
  const tail = `S 12 ${Array.from({ length: 17 }, () => "0").join(" ")} 4711 0`;
  expect(parseStat(5, `5 (a) (b ) ${tail}`)).toEqual({
    pid: 5,
    parent: 12,
    name: "a) (b ",
    state: "S",
    started: "4711",
  });
  expect(parseStat(5, "rubbish")).toBeUndefined();
});

test("follows a real process up to the top, and says what it calls itself", async () => {
  await using child = Bun.spawn(["sh", "-c", "sleep 60 & read x; kill $!; wait; exit 0"], {
    stdin: "pipe",
    stdout: "ignore",
  });
  while (descendants(child.pid).length === 0) await Bun.sleep(2);
  const [sleeper] = descendants(child.pid);
  expect(readStat(sleeper!.pid)?.parent).toBe(child.pid);
  expect(readCommand(child.pid).slice(0, 2)).toEqual(["sh", "-c"]);
  expect([...lineage(sleeper!.pid)].map((stat) => stat.pid)).toContain(process.pid);
  void child.stdin.write("\n");
  await child.stdin.end();
  expect(await child.exited).toBe(0);
});

test("says nothing of a process that is not there", () => {
  expect(readStat(2 ** 22 + 1)).toBeUndefined();
  expect(readCommand(2 ** 22 + 1)).toEqual([]);
});
