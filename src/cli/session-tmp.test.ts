import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { makeSessionTmp, removeSessionTmp, sweepSessionTmp } from "./session-tmp.ts";

test("the folder of a living session stays, that of a killed one goes, links are not followed", () => {
  const base = mkdtempSync("/tmp/hallpass-sweep-");
  const mine = makeSessionTmp(base);
  expect(statSync(mine).mode & 0o777).toBe(0o700);
  const dead = `${base}/hallpass-4194305-17-abcdef`;
  const reused = `${base}/hallpass-${process.pid}-1-abcdef`;
  for (const folder of [dead, reused, `${base}/hallpass-notes`]) mkdirSync(folder);
  mkdirSync(`${base}/keep`);
  writeFileSync(`${base}/keep/file`, "original");
  symlinkSync(`${base}/keep`, `${dead}/link`);
  symlinkSync(`${base}/keep`, `${base}/hallpass-4194305-18-abcdef`);
  sweepSessionTmp(base);
  expect(readdirSync(base).toSorted()).toEqual(
    [mine.slice(base.length + 1), "hallpass-4194305-18-abcdef", "hallpass-notes", "keep"].toSorted(),
  );
  expect(existsSync(`${base}/keep/file`)).toBe(true);
  removeSessionTmp(mine);
  expect(existsSync(mine)).toBe(false);
  rmSync(base, { recursive: true });
});
