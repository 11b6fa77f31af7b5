import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { openDisk, type SettleContext } from "../../policy/index.ts";
import { readAdvance } from "./advance.ts";

const folder = realpathSync(mkdtempSync("/var/tmp/hallpass-advance-"));
mkdirSync(`${folder}/cache`);
writeFileSync(`${folder}/[odd] name`, "");
symlinkSync(`${folder}/cache`, `${folder}/link`);
const context = (): SettleContext => ({ home: "/home/me", cwd: folder, disk: openDisk(), path: ["/usr/bin", "/bin"] });
afterAll(() => rmSync(folder, { recursive: true }));

const all = new Set(["write", "exec", "connect"] as const);
const read = (query: string, mediate: ReadonlySet<"write" | "exec" | "connect"> = all) =>
  readAdvance(query, mediate, context());
const encode = (path: string): string => encodeURIComponent(path);

test("reads a file, a folder with all below it, and follows links to where they lead", () => {
  expect(read(`do=ask&op=write&target=${encode(`${folder}/new`)}&for=1h30m&reason=a%20b`)).toEqual({
    advance: { action: "ask", category: "write", target: `${folder}/new`, duration: 5_400_000, reason: "a b" },
    call: { category: "write", operation: "write", target: `${folder}/new` },
  });
  for (const spelled of [`${folder}/link/**`, `${folder}/cache/**`, `${folder}/cache`, `${folder}/link`]) {
    expect(read(`do=ask&op=write&target=${encode(spelled)}`)).toMatchObject({
      advance: { target: `${folder}/cache/**` },
    });
  }
  expect(read(`do=check&op=write&target=${encode(String.raw`${folder}/\[odd\] name`)}`)).toMatchObject({
    advance: { target: String.raw`${folder}/\[odd\] name` },
    call: { target: `${folder}/[odd] name` },
  });
});

test("reads bytes that are no UTF-8", () => {
  expect(read("do=ask&op=write&target=/x%ff")).toMatchObject({ call: { target: "/x\udcff" } });
});

test("looks a program up, and reads an address", () => {
  expect(read("do=ask&op=exec&target=env")).toMatchObject({ advance: { target: realpathSync("/usr/bin/env") } });
  expect(read("do=ask&op=connect&target=tcp:10.0.0.1:443")).toMatchObject({
    advance: { target: "tcp:10.0.0.1:443" },
    call: { operation: "connect" },
  });
});

test.each([
  "",
  "do=ask",
  "do=ask&op=write",
  "do=grab&op=write&target=/x",
  "do=ask&op=read&target=/x",
  "do=ask&op=write&target=relative",
  "do=ask&op=write&target=/a*b",
  "do=ask&op=write&target=/a/**/b",
  "do=ask&op=write&target=/x&for=ever",
  "do=ask&op=write&target=/x&for=",
  "do=ask&op=write&target=/x&target=/y",
  "do=ask&op=write&target=/x&more=1",
  "do=ask&op=write&target=/x%0",
  "do=ask&op=write&target=/x%00y",
  "do=ask&op=exec&target=@common",
  "do=ask&op=exec&target=no-such-program-anywhere",
  "do=ask&op=exec&target=bin/sh",
  "do=ask&op=connect&target=all",
  "do=ask&op=connect&target=example.com:443",
  `do=ask&op=write&target=/x&reason=${"x".repeat(1001)}`,
])("%j is malformed", (query) => {
  expect(read(query)).toBe(22);
});

test("says that a category is not mediated", () => {
  expect(read("do=ask&op=connect&target=tcp:10.0.0.1:443", new Set(["write"]))).toBe(38);
});
