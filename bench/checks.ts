/** What a permission check costs: in process with and without its cache, its memory, and `hallpass serve` on loopback. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect as connectTcp, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { Hallpass, literal } from "../src/checks/index.ts";
import type { Bench, Row } from "./support/bench.ts";
import { compare, median } from "./support/measure.ts";
import type { Tools } from "./support/tools.ts";

const ANN = "ann@example.com";
const THINGS = { id: "things", integration: "fake", admins: ANN };

async function run(tools: Tools): Promise<Row[]> {
  return [...(await inProcess(tools)), await memory(tools), ...(await serving(tools))];
}

/** Microseconds a check. */
async function inProcess(tools: Tools): Promise<Row[]> {
  const cluster = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(201).end('{"status":{"allowed":true}}'));
  });
  await new Promise<void>((resolve) => cluster.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(cluster.address() as AddressInfo).port}`;
  const pods = { id: "k", integration: "kubernetes", url, credential: literal("t") };
  const kept = Hallpass.connect([THINGS]);
  const anew = Hallpass.connect([THINGS, pods], { decisionCacheSeconds: 0, identityCacheSeconds: 0 });
  const thing = ["things", "thing.write", "thing:1"] as const;
  const runner = (name: string, count: number, ask: () => Promise<boolean>) => ({
    name,
    measure: async () => await each(Math.max(10, Math.round(count * tools.effort)), ask),
  });
  const rows = await compare({
    what: "one permission check",
    unit: "µs",
    rounds: Math.max(1, Math.round(10 * tools.effort)),
    runners: [
      runner("kept", 20_000, async () => await kept.allowed(ANN, ...thing)),
      runner("anew, no network", 20_000, async () => await anew.allowed(ANN, ...thing)),
      runner(
        "anew, one call on loopback",
        1_000,
        async () => await anew.allowed(ANN, "k", "raw:get:pods", "namespace:a"),
      ),
    ],
  });
  for (const one of [kept, anew]) one.close();
  cluster.closeAllConnections();
  cluster.close();
  return rows;
}

async function each(count: number, ask: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < count; n++) if (!(await ask())) throw new Error("a check was not allowed");
  return ((performance.now() - began) * 1000) / count;
}

/** KiB a kept decision, at 10,000 of them: as many as are kept at most. */
async function memory({ effort }: Tools): Promise<Row> {
  const count = Math.round(10_000 * effort);
  const hallpass = Hallpass.connect([THINGS], { decisionCacheSeconds: 3600, identityCacheSeconds: 0 });
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < count; n++) await hallpass.check(ANN, "things", "thing.write", `thing:${n}`);
  Bun.gc(true);
  const value = (process.memoryUsage().heapUsed - before) / 1024 / count;
  hallpass.close();
  return { what: "memory of a kept decision", runner: `${count} kept`, value, unit: "KiB", ratios: {} };
}

async function serving(tools: Tools): Promise<Row[]> {
  const folder = mkdtempSync("/var/tmp/hallpass-bench-");
  const file = join(folder, "hallpass.yaml");
  const lines = [
    "api_key: env:KEY",
    "decision_log: none",
    "connections:",
    `  - {id: things, integration: fake, admins: ${ANN}}`,
  ];
  writeFileSync(file, lines.join("\n"));
  const child = Bun.spawn([tools.hallpass, "serve", "-config", file, "-listen", "127.0.0.1:0"], {
    env: { ...process.env, KEY: "k" },
    stderr: "pipe",
  });
  try {
    const { port, drained } = await listening(child.stderr);
    const load = await loadOf(port, Math.max(1, Math.round(5 * tools.effort)) * 1000);
    child.kill("SIGTERM");
    await drained;
    const row = (runner: string, value: number, unit: string): Row => ({
      what: "serve, 16 connections",
      runner,
      value,
      unit,
      ratios: {},
    });
    return [row("requests", load.perSecond, "/s"), row("median", load.median, "ms"), row("p99", load.p99, "ms")];
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(
  stderr: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<{ port: number; drained: Promise<void> }> {
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`serve ended: ${text}`);
    text += value;
    const port = /"listening".*"port":(\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    const drain = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    return { port: Number(port), drained: drain() };
  }
}

async function loadOf(port: number, ms: number): Promise<{ perSecond: number; median: number; p99: number }> {
  const body = JSON.stringify({ user: ANN, connection: "things", action: "thing.write", resource: "thing:1" });
  const request = `POST /check HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const times: number[] = [];
  const began = performance.now();
  await Promise.all(Array.from({ length: 16 }, async () => await hammer(port, request, began + ms, times)));
  const perSecond = (times.length * 1000) / (performance.now() - began);
  const sorted = times.toSorted((a, b) => a - b);
  return { perSecond, median: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN };
}

/** One connection that asks again as soon as it is answered. */
async function hammer(port: number, request: string, end: number, times: number[]): Promise<void> {
  const socket: Socket = connectTcp({ port, host: "127.0.0.1" });
  await new Promise<void>((resolve, reject) => {
    let sent = 0;
    const next = (): void => {
      sent = performance.now();
      if (sent > end) resolve();
      else socket.write(request);
    };
    socket.on("connect", next);
    socket.on("error", reject);
    socket.on("data", (bytes: Buffer) => {
      if (!bytes.toString("latin1").startsWith("HTTP/1.1 200")) return reject(new Error("an answer was not 200"));
      times.push(performance.now() - sent);
      next();
    });
  });
  socket.destroy();
}

const checks: Bench = {
  name: "checks",
  about: "permission checks: microseconds each, memory kept, requests a second",
  run,
};
export default checks;
