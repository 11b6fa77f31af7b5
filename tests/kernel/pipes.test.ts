/** A pipe in and out of hallpass is byte for byte what the program alone would give. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { hallpass, hallpassFor } from "../support/hallpass.ts";
import { passThrough } from "../support/pass-through.ts";
import { makePlaces, type Places } from "../support/places.ts";

let places: Places;
beforeAll(() => void (places = makePlaces()));
afterAll(() => places[Symbol.dispose]());

test("64 MiB of random data come out as they went in", async () => {
  const { into, outOf } = await passThrough([...hallpassFor(), "--prompt=deny", "--", "cat"], places.project, 64);
  expect(outOf).toEqual(into);
});

test("streams are not mixed, and are no terminals", async () => {
  const script = "echo out; echo err >&2; for fd in 0 1 2; do test -t $fd && echo terminal $fd; done; true";
  expect(await hallpass(places, ["--prompt=deny", "--", "sh", "-c", script])).toEqual({
    status: 0,
    stdout: "out\n",
    stderr: "err\n",
  });
});

test("input that nobody reads does no harm, and a reader that goes ends the writer", async () => {
  expect((await hallpass(places, ["--prompt=deny", "--", "true"], { stdin: "x".repeat(1 << 20) })).status).toBe(0);
  const shell = `${hallpassFor().join(" ")} --prompt=deny -- yes | head -n 1; echo \${PIPESTATUS[0]}`;
  const child = Bun.spawn(["bash", "-c", shell], { cwd: places.project, stdin: "ignore", stderr: "ignore" });
  expect(await new Response(child.stdout).text()).toBe("y\n141\n");
});

test.each([
  ["0<&-", "echo fine; exit 3", "fine\n"],
  ["2>&-", "echo fine; exit 3", "fine\n"],
])("a standard stream that is closed (%s) stays the program's own affair", async (redirection, script, stdout) => {
  const shell = `${hallpassFor().join(" ")} --prompt=deny -- sh -c '${script}' ${redirection}`;
  const child = Bun.spawn(["sh", "-c", shell], { cwd: places.project, stdin: "ignore", stderr: "ignore" });
  expect(await new Response(child.stdout).text()).toBe(stdout);
  expect(await child.exited).toBe(3);
});

test("a pipe ends when the program's side of it ends, not when hallpass does", async () => {
  Bun.spawnSync(["mkfifo", `${places.project}/hold`]);
  const command = [...hallpassFor(), "--prompt=deny", "--", "sh", "-c", "echo last; exec >&-; read line < hold"];
  const child = Bun.spawn(command, { cwd: places.project, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  expect(await new Response(child.stdout).text()).toBe("last\n");
  expect(child.exitCode).toBeNull();
  Bun.spawnSync(["sh", "-c", "echo go > hold"], { cwd: places.project });
  expect(await child.exited).toBe(0);
});

test("further descriptors reach the program", async () => {
  const shell = `exec 7> seven; ${hallpassFor().join(" ")} --prompt=deny -- sh -c 'echo seven >&7'; cat seven`;
  const child = Bun.spawn(["bash", "-c", shell], { cwd: places.project, stdin: "ignore", stderr: "ignore" });
  expect(await new Response(child.stdout).text()).toBe("seven\n");
});
