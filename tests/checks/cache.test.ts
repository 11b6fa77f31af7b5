import { describe, expect, test } from "bun:test";
import { Cache, type CacheOptions } from "../../src/checks/cache.ts";
import { Call } from "../../src/checks/call.ts";
import { stop, type Stop } from "../../src/checks/codes.ts";
import { TestClock } from "./support/clock.ts";
import { TestLog } from "./support/log.ts";

interface Gate {
  readonly open: (value: number) => void;
  readonly fail: (error: Error) => void;
  readonly fill: (call: Call) => Promise<number>;
  readonly calls: Call[];
}

/** A fill that ends when the test says so. */
function gate(): Gate {
  const calls: Call[] = [];
  let open: (value: number) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const result = new Promise<number>((resolve, reject) => ([open, fail] = [resolve, reject]));
  return { open, fail, calls, fill: async (call) => (calls.push(call), await result) };
}

function setUp(options: Partial<CacheOptions<number>> = {}) {
  const clock = new TestClock();
  const log = new TestLog();
  const cache = new Cache<number>({ name: "test", clock, log, ttl: () => 30_000, ...options });
  const ask = (fresh = false, ms = 8_000): Call => new Call(clock, fresh, clock.ticks() + ms);
  return { clock, log, cache, ask };
}

/** A fill that reads once, so that its result is as old as its beginning. */
const reading =
  (value: number) =>
  async (call: Call): Promise<number> => {
    call.trace.add({ method: "GET", origin: "https://a.test", path: `/${value}`, status: 200 }, call.clock.ticks());
    return value;
  };

const ticked = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

describe("a cache", () => {
  test("keeps a value until its time is over", async () => {
    const { clock, cache, ask } = setUp();
    await cache.get("k", ask(), reading(1));
    clock.advance(29_999);
    expect(await cache.get("k", ask(), reading(2))).toEqual({ value: 1, cached: true });
    clock.advance(1);
    expect(await cache.get("k", ask(), reading(2))).toEqual({ value: 2, cached: false });
  });

  test("keeps nothing whose time is zero", async () => {
    const { cache, ask } = setUp({ ttl: (value) => (value === 1 ? 0 : 1_000) });
    await cache.get("k", ask(), reading(1));
    expect((await cache.get("k", ask(), reading(2))).value).toBe(2);
    expect(cache.size).toBe(1);
  });

  test("never keeps an error", async () => {
    const { cache, ask } = setUp();
    const failed = cache.get("k", ask(), async () => await Promise.reject(stop("upstream_error")));
    expect(failed).rejects.toThrow("upstream_error");
    await failed.catch(() => {});
    expect((await cache.get("k", ask(), reading(2))).value).toBe(2);
  });

  test("marks replayed evidence, and evidence of another's fill", async () => {
    const { cache, ask } = setUp();
    const [first, second] = [ask(), ask()];
    await Promise.all([cache.get("k", first, reading(1)), cache.get("k", second, reading(1))]);
    const third = ask();
    await cache.get("k", third, reading(1));
    expect(first.trace.calls[0]).not.toHaveProperty("shared");
    expect(second.trace.calls).toMatchObject([{ path: "/1", shared: true }]);
    expect(third.trace.calls).toMatchObject([{ path: "/1", cached: true }]);
  });

  test("drops what has expired before what is oldest, and holds no more than its limit", async () => {
    const { clock, cache, ask } = setUp({ limit: 3, ttl: (value) => (value === 2 ? 1_000 : 60_000) });
    for (const value of [1, 2, 3]) await cache.get(`k${value}`, ask(), reading(value));
    clock.advance(1_000);
    await cache.get("k4", ask(), reading(4));
    expect(cache.peek("k1")).toBe(1);
    await cache.get("k5", ask(), reading(5));
    expect([cache.peek("k1"), cache.peek("k3"), cache.size]).toEqual([undefined, 3, 3]);
  });
});

describe("one fill for all who wait", () => {
  test("is made once", async () => {
    const { cache, ask } = setUp();
    const { fill, open, calls } = gate();
    const all = Promise.all([1, 2, 3].map(async () => await cache.get("k", ask(), fill)));
    await ticked();
    open(7);
    expect((await all).map(({ value }) => value)).toEqual([7, 7, 7]);
    expect(calls.length).toBe(1);
  });

  test("outlives its first caller: a waiter with more time fills again itself", async () => {
    const { clock, cache, ask } = setUp();
    const slow = gate();
    const timed = async (call: Call): Promise<number> => await call.wait(slow.fill(call));
    const leader = cache.get("k", ask(false, 1_000), timed).catch((error: Stop) => error.finding.code);
    const waiter = cache.get("k", ask(false, 5_000), reading(2));
    await ticked();
    clock.advance(1_000);
    expect(await leader).toBe("upstream_timeout");
    expect((await waiter).value).toBe(2);
  });

  test("keeps the remaining deadline of its first caller, or 30 s without one", async () => {
    const { clock, cache, ask } = setUp();
    const one = gate();
    const two = gate();
    void cache.get("a", ask(false, 1_234), one.fill).catch(() => {});
    void cache.get("b", new Call(clock, false, Infinity), two.fill).catch(() => {});
    await ticked();
    expect([one.calls[0]?.left(), two.calls[0]?.left()]).toEqual([1_234, 30_000]);
  });

  test("a bug inside reaches all waiters as an unknown and is logged once, without its message", async () => {
    const { cache, ask, log } = setUp();
    const { fill, fail } = gate();
    const codeOf = async (): Promise<string> =>
      await cache.get("k", ask(), fill).then(String, (error: Stop) => error.finding.code);
    const all = Promise.all([codeOf(), codeOf()]);
    await ticked();
    fail(new RangeError("the vendor said CANARY"));
    expect(await all).toEqual(["upstream_error", "upstream_error"]);
    expect(log.at("error").length).toBe(1);
    expect(log.at("error")[0]?.fields).toMatchObject({ error: "RangeError" });
    expect(log.at("error")[0]?.fields.stack).toContain("cache.test.ts");
    expect(JSON.stringify(log.lines)).not.toContain("CANARY");
  });

  test("that fails leaves an ordinary caller the entry that appeared meanwhile", async () => {
    const { clock, cache, ask } = setUp();
    const { fill, fail } = gate();
    const ordinary = cache.get("k", ask(), fill);
    await ticked();
    clock.advance(2_000);
    await cache.get("k", ask(true), reading(2));
    fail(stop("upstream_error"));
    expect(await ordinary).toEqual({ value: 2, cached: true });
  });
});

describe("a fresh request", () => {
  test("reads anew and leaves what it read for those after it", async () => {
    const { clock, cache, ask } = setUp();
    await cache.get("k", ask(), reading(1));
    clock.advance(1_000);
    expect((await cache.get("k", ask(true), reading(2))).value).toBe(2);
    expect((await cache.get("k", ask(), reading(3))).value).toBe(2);
  });

  test("takes an entry read less than a second ago", async () => {
    const { clock, cache, ask } = setUp();
    await cache.get("k", ask(), reading(1));
    clock.advance(999);
    expect((await cache.get("k", ask(true), reading(2))).value).toBe(1);
  });

  test("joins a fresh fill, and an ordinary one begun less than a second ago", async () => {
    const { clock, cache, ask } = setUp();
    const { fill, open, calls } = gate();
    const ordinary = cache.get("k", ask(), fill);
    await ticked();
    clock.advance(500);
    const joined = cache.get("k", ask(true), fill);
    open(1);
    await Promise.all([ordinary, joined]);
    expect(calls.length).toBe(1);
  });

  test("does not join an ordinary fill begun a second ago", async () => {
    const { clock, cache, ask } = setUp();
    const { fill, open } = gate();
    const ordinary = cache.get("k", ask(), fill);
    await ticked();
    clock.advance(1_000);
    expect((await cache.get("k", ask(true), reading(2))).value).toBe(2);
    open(1);
    expect((await ordinary).value).toBe(1);
  });

  test("does not take what a joined fill made from older reads", async () => {
    const { clock, cache, ask } = setUp();
    const { fill, open } = gate();
    const old = async (call: Call): Promise<number> => {
      call.trace.date(call.clock.ticks() - 5_000);
      return await fill(call);
    };
    clock.advance(10_000);
    const ordinary = cache.get("k", ask(), old);
    await ticked();
    const fresh = cache.get("k", ask(true), reading(2));
    open(1);
    expect([(await ordinary).value, (await fresh).value]).toEqual([1, 2]);
  });

  test("is not overwritten by an older result that ends after it", async () => {
    const { clock, cache, ask } = setUp();
    const { fill, open } = gate();
    const ordinary = cache.get("k", ask(), fill);
    await ticked();
    clock.advance(2_000);
    await cache.get("k", ask(true), reading(2));
    open(1);
    await ordinary;
    expect(cache.peek("k")).toBe(2);
  });

  test("takes exempt data as it is, and is not aged by it", async () => {
    const { clock, cache, ask } = setUp({ exempt: true });
    await cache.get("k", ask(), reading(1));
    clock.advance(20_000);
    const fresh = ask(true);
    expect((await cache.get("k", fresh, reading(2))).value).toBe(1);
    expect(fresh.trace.oldest).toBeUndefined();
  });
});

test("evidence has 100 entries at most; replayed ones go first", () => {
  const { ask } = setUp();
  const { trace } = ask();
  const call = { method: "GET", origin: "https://a.test", status: 200 };
  trace.add({ ...call, path: "/old", cached: true }, 0);
  for (let index = 0; index < 101; index++) trace.add({ ...call, path: `/${index}` }, 0);
  expect([trace.calls.length, trace.calls[0]?.path, trace.truncated]).toEqual([100, "/1", true]);
});
