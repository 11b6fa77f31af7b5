import { expect, test } from "bun:test";
import { inLanes, type Job } from "./lanes.ts";

/** Jobs that note how many run at once while each waits for a turn of the event loop. */
function counted(kinds: readonly ("together" | "alone")[]): { jobs: Job<string>[]; seen: string[] } {
  let running = 0;
  const seen: string[] = [];
  const jobs = kinds.map((kind, index) => ({
    isAlone: kind === "alone",
    run: async () => {
      running += 1;
      await Bun.sleep(1);
      seen.push(`${index} of ${running}`);
      running -= 1;
      return `result ${index}`;
    },
  }));
  return { jobs, seen };
}

test("no more jobs run at once than there are lanes, and those alone run last", async () => {
  const { jobs, seen } = counted(["alone", "together", "together", "together", "alone"]);
  expect(await Promise.all(inLanes(jobs, 2))).toEqual(["result 0", "result 1", "result 2", "result 3", "result 4"]);
  expect(seen.filter((line) => line.endsWith("of 3"))).toEqual([]);
  expect(seen.slice(-2)).toEqual(["0 of 1", "4 of 1"]);
});

test("a job that throws rejects its own result and holds up no other", async () => {
  const { jobs } = counted(["together", "together"]);
  const broken = { isAlone: false, run: () => Promise.reject(new Error("broken")) };
  const results = await Promise.allSettled(inLanes([broken, ...jobs], 1));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
});
