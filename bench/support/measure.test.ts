import { expect, test } from "bun:test";
import { compare, median } from "./measure.ts";

test("the median of an even number of values lies between the middle two", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
});

test("runners are interleaved, and each is first as often as the other", async () => {
  const order: string[] = [];
  const runner = (name: string, value: number) => ({ name, measure: async () => (order.push(name), value) });
  const plan = { what: "open", unit: "ns", rounds: 4, runners: [runner("a", 10), runner("b", 20)] };
  const [a, b] = await compare(plan);
  expect(order.join("")).toBe("abbaabba");
  expect(a?.ratios).toEqual({ b: 0.5 });
  expect(b?.ratios).toEqual({ a: 2 });
});

test("a runner that fails is left out, with its reason, and takes part in no ratio", async () => {
  const good = { name: "good", measure: () => Promise.resolve(1) };
  const bad = { name: "bad", measure: () => Promise.reject(new Error("not installed")) };
  const [first, second] = await compare({ what: "open", unit: "ns", rounds: 2, runners: [good, bad] });
  expect(first?.ratios).toEqual({});
  expect(second?.note).toBe("not installed");
});
