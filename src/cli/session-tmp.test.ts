import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../../tests/support/wait.ts";
import { makeSessionTmp, sweepSessionTmp } from "./session-tmp.ts";

let base: string;
beforeEach(() => void (base = mkdtempSync("/tmp/hp-sweep-")));
afterEach(() => rmSync(base, { recursive: true }));

const uid = process.getuid!();

test("is the session's alone, the user's alone, and gone after it", () => {
  const [one, two] = [makeSessionTmp(base), makeSessionTmp(base)];
  expect([one.path, two.path]).toEqual([`${base}/hallpass-${uid}-1`, `${base}/hallpass-${uid}-2`]);
  expect(statSync(one.path).mode & 0o777).toBe(0o700);
  one.remove();
  expect(existsSync(one.path)).toBe(false);
  expect(makeSessionTmp(base).path).toBe(one.path);
});

test("of a killed session is emptied before another gets its name, and swept when nobody asks for it", async () => {
  const script = `const { makeSessionTmp } = await import(${JSON.stringify(join(import.meta.dir, "session-tmp.ts"))});
    const { path } = makeSessionTmp(${JSON.stringify(base)}); await Bun.write(path + "/secret", "x"); console.log(path); setInterval(() => {}, 1000);`;
  const start = async (): Promise<Bun.Subprocess> => {
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    await waitFor("the folder", () => existsSync(`${base}/hallpass-${uid}-1/secret`));
    return child;
  };
  const first = await start();
  sweepSessionTmp(base);
  expect(existsSync(`${base}/hallpass-${uid}-1/secret`)).toBe(true);
  first.kill("SIGKILL");
  await first.exited;
  expect(readdirSync(makeSessionTmp(base).path)).toEqual([]);
});

test("follows no link, and takes nothing that somebody else has put there", () => {
  mkdirSync(`${base}/keep`);
  writeFileSync(`${base}/keep/file`, "original");
  symlinkSync(`${base}/keep`, `${base}/hallpass-${uid}-1`);
  writeFileSync(`${base}/hallpass-${uid}-2`, "a file");
  sweepSessionTmp(base);
  expect(makeSessionTmp(base).path).toBe(`${base}/hallpass-${uid}-3`);
  expect(existsSync(`${base}/keep/file`)).toBe(true);
});
