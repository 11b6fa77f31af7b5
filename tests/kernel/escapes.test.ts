/** Ways out that were found: each is tried as it was, on the real kernel, with nobody who would answer. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Errno } from "../../ffi/errno.ts";
import { needs, root } from "../support/needs.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { ordinaryUser } from "../support/user.ts";
import { hallpass } from "../support/hallpass.ts";
import { runScript } from "./support/scripts.ts";
import { buildTarget } from "./support/targets.ts";

let places: Places;
beforeEach(() => (places = makePlaces()));
afterEach(() => places[Symbol.dispose]());

/** Another user's connects are refused anyhow, and root in a user namespace is another. */
test("refuses an abstract socket from outside, whatever has its name in a network made inside", async () => {
  const name = `hallpass-test-${process.pid}`;
  const user = ordinaryUser();
  using theirs = makePlaces(user);
  const program = buildTarget("other_network");
  await using service = Bun.spawn([program, "listen", name], { stdout: "pipe" });
  const said = service.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect((await said.read()).value).toBe("ready\n");
  const reach = ["--prompt=deny", "--allow-exec", program, "--", program, "connect", name];
  const ended = await hallpass(theirs, reach, { user });
  expect(ended).toMatchObject({ status: 0, stdout: `${Errno.EACCES}\n` });
});

needs(root())("does not let root change mode or owner of a device that everybody may write to", async () => {
  const flags = ["--prompt=deny"];
  const results = await runScript(
    places,
    [
      'chmod "/dev/full 0666',
      'chown "/dev/full 0 0',
      'openat -100 "/dev/full 0 0',
      "fchmod $3 0666",
      'openat -100 "/dev/full 1 0',
      'utimensat -100 "/dev/full - 0',
    ],
    { flags },
  );
  expect(results.filter((_, index) => index !== 2 && index !== 4)).toEqual(["EACCES", "EACCES", "EACCES", "0"]);
});

test("lets a program set the mode of a file in memory", async () => {
  const results = await runScript(places, ['memfd_create "x 0', "fchmod $1 0755"], { flags: ["--prompt=deny"] });
  expect(results[1]).toBe("0");
});

test("ends a program that was swapped in for an allowed one before any of its calls is answered", async () => {
  const program = buildTarget("exec_swap");
  const other = join(places.outside, "other");
  const file = join(places.project, "made-by-other");
  copyFileSync(program, other);
  chmodSync(other, 0o755);
  const race = [program, "race", "/bin/true", other, "3000", file];
  const ended = await hallpass(places, ["--prompt=deny", "--allow-exec", program, "--", ...race]);
  const [finished, killed] = ended.stdout.trim().split(" ").map(Number);
  expect({ finished, wasKilled: killed! > 0, isMade: existsSync(file) }).toEqual({
    finished: 0,
    wasKilled: true,
    isMade: false,
  });
});
