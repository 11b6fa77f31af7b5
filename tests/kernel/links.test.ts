/** Hard links to files outside: made where a rule allows the file, else refused as across file systems (docs/adr/0004). */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { hallpass } from "../support/hallpass.ts";
import { makePlaces, type Places } from "../support/places.ts";

let places: Places;
beforeEach(() => (places = makePlaces()));
afterEach(() => places[Symbol.dispose]());

const link = `python3 -c 'import os,sys,errno
try: os.link(sys.argv[1], "second"); print("made")
except OSError as e: print(errno.errorcode[e.errno])' `;

function linking(flags: readonly string[], file: string) {
  return hallpass(places, ["--prompt=deny", ...flags, "--", "sh", "-c", link + file]);
}

test("a link to a file that nothing allows is refused as across file systems", async () => {
  const keep = `${places.outside}/keep`;
  expect((await linking([], keep)).stdout).toBe("EXDEV\n");
  expect(statSync(keep).nlink).toBe(1);
});

test("a denied file is refused as such, a missing one is missing", async () => {
  const keep = `${places.outside}/keep`;
  expect((await linking(["--deny-path", keep], keep)).stdout).toBe("EACCES\n");
  expect((await linking([], `${places.outside}/none`)).stdout).toBe("ENOENT\n");
});

test("an allowed file gets its second name", async () => {
  const keep = `${places.outside}/keep`;
  expect((await linking(["--allow-path", keep], keep)).stdout).toBe("made\n");
  expect(statSync(keep).nlink).toBe(2);
});
