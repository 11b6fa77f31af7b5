/** Asking in advance against a real session (SPEC §6): hallpass-request, and a plain exec of the magic path. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Asking, type AskingPlaces, logged, makeAskingPlaces } from "../support/asking.ts";
import { tree } from "../support/tree.ts";

const request = join(tree, "build", "hallpass-request");
const flags = ["--allow-exec", request];

let places: AskingPlaces;
beforeEach(() => void (places = makeAskingPlaces()));
afterEach(() => places[Symbol.dispose]());

/** What each command's exit code was, one a line. */
const codes = (...commands: string[]): string =>
  commands.map((command) => `${command} > /dev/null 2>&1; echo $?`).join("; ");

test("a granted request lets the program write where it said, until it gives it back", async () => {
  const cache = `${places.home}/.npm`;
  const script = codes(
    `${request} check write '${cache}/**'`,
    `${request} write '${cache}/**' --for 10m --reason 'to install'`,
    `sh -c 'echo x > ${cache}/a'`,
    `${request} check write ${cache}/b`,
    `${request} write ${cache}/b`,
    `${request} release write '${cache}/**'`,
    `${request} release write '${cache}/**'`,
    `${request} check write ${cache}/b`,
  );
  await using session = await Asking.start(places, script, flags);
  const asked = await session.request();
  expect(asked).toMatchObject({
    call: { category: "write", target: `${cache}/**` },
    advance: { duration: 600_000, reason: "to install" },
  });
  session.answer(asked, "once");
  expect(await session.output()).toBe("5\n0\n0\n1\n1\n0\n10\n5\n");
  expect(logged(places).find((one) => one.request === asked.id)).toMatchObject({
    decision: "allow",
    reason: "user",
    path: `${cache}/**`,
    request: asked.id,
  });
});

test("a denied request, one that is too late, one for what is denied and one that is malformed", async () => {
  const script = codes(
    `${request} write ${places.outside}/keep`,
    `${request} exec curl-that-is-not-there`,
    `${request} write '/a*b'`,
    `${request} write ${places.log}`,
    `${request} connect tcp:127.0.0.1:80`,
    `${request} exec /usr/bin/env`,
  );
  await using session = await Asking.start(places, script, [...flags, "--timeout=2s"]);
  session.answer(await session.request(`${places.outside}/keep`), "deny");
  expect(await session.output()).toBe("3\n6\n6\n3\n7\n1\n");
});

test("nobody's answer in time is said as such", async () => {
  await using session = await Asking.start(places, codes(`${request} write ${places.outside}/keep`), [
    ...flags,
    "--timeout=1s",
  ]);
  expect(await session.output()).toBe("4\n");
});

test("any program that can exec can ask", async () => {
  const path = `/.hallpass/1/request?do=ask&op=write&target=${encodeURIComponent(`${places.outside}/keep`)}`;
  const program = `import os\ntry: os.execv(${JSON.stringify(path)}, ["x"])\nexcept OSError as e: print(e.errno, flush=True)`;
  await using session = await Asking.start(places, `/usr/bin/python3 -c '${program}'`, ["--allow-exec", "/usr/bin/**"]);
  session.answer(await session.request(), "once");
  expect(await session.output()).toBe("114\n");
});
