/** How hallpass itself starts: by whatever name and from wherever, and no file of the working directory has a say in it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { hallpass, run } from "../support/hallpass.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { ordinaryUser } from "../support/user.ts";
import { hallpassProgram } from "../support/tree.ts";

let places: Places;
beforeAll(() => {
  places = makePlaces();
  const put = (name: string, text: string): void => writeFileSync(`${places.project}/${name}`, text);
  put("evil.ts", `await Bun.write("${places.outside}/evil", "was here"); console.log("evil"); postMessage?.("evil");`);
  put("bunfig.toml", 'preload = ["./evil.ts"]\n');
  put("tsconfig.json", JSON.stringify({ compilerOptions: { baseUrl: ".", paths: { "*": ["./evil.ts"] } } }));
  put("package.json", JSON.stringify({ name: "evil", imports: { "*": "./evil.ts" }, main: "./evil.ts" }));
  put(".env", "HOME=/evil\nPATH=/evil\nBUN_INSPECT=evil\n");
});
afterAll(() => places[Symbol.dispose]());

test("runs nothing that the working directory's files tell Bun to run", async () => {
  const ended = await hallpass(places, [
    "--prompt=deny",
    "--",
    "sh",
    "-c",
    "echo $HOME; test -x $(command -v env) && echo fine",
  ]);
  expect(ended).toEqual({ status: 0, stdout: `${process.env.HOME}\nfine\n`, stderr: "" });
  expect(await Bun.file(`${places.outside}/evil`).exists()).toBe(false);
});

test("gives the program its environment as it was, odd names and bytes included, and only TMPDIR made anew", async () => {
  const script = String.raw`exec env -i A=1 'BASH_FUNC_f%%=() { :; }' "ODD=$(printf '\377')" PWD=/elsewhere "$0" --prompt=deny -- /usr/bin/env -0`;
  const ended = await run(["sh", "-c", `${script} | od -An -c | tr -d ' \\n'`, hallpassProgram], {
    cwd: places.project,
  });
  const variables = ended.stdout.split(String.raw`\0`).filter(Boolean);
  expect(variables.filter((one) => !one.startsWith("TMPDIR="))).toEqual([
    "A=1",
    "BASH_FUNC_f%%=(){:;}",
    "ODD=377",
    "PWD=/elsewhere",
  ]);
});

test("starts through a symlink and from any folder", async () => {
  const link = `${places.root}/hp`;
  symlinkSync(hallpassProgram, link);
  expect(await run([link, "--prompt=deny", "--", "pwd"], { cwd: places.outside })).toMatchObject({
    status: 0,
    stdout: `${places.outside}\n`,
  });
});

test("says that it cannot run inside itself, and shows no session to what runs inside one", async () => {
  const flags = ["--prompt=deny", "--allow-exec", "/**", "--"];
  const nested = await hallpass(places, [...flags, hallpassProgram, "--prompt=deny", "--", "true"]);
  expect(nested).toMatchObject({ status: 125, stdout: "" });
  expect(nested.stderr).toMatch(/^hallpass: this runs in a hallpass session already.*\n$/);
  const inside = await hallpass(places, [...flags, hallpassProgram, "sessions"]);
  expect(inside).toMatchObject({ status: 0, stdout: "no session of yours is running\n" });
});

test("does the same for an ordinary user, whose program keeps its rights and its environment", async () => {
  const user = ordinaryUser();
  using own = makePlaces(user);
  const script =
    "id -u; echo in > file && cat file; (echo out > ../outside/keep) 2>/dev/null || echo refused; grep NoNewPrivs /proc/self/status";
  const ended = await hallpass(own, ["--prompt=deny", "--", "sh", "-c", script], { user });
  expect(ended).toEqual({ status: 0, stdout: `${user.uid}\nin\nrefused\nNoNewPrivs:\t1\n`, stderr: "" });
});

test("limits, signals and umask reach the program as they were", async () => {
  const script = "ulimit -n; ulimit -c; umask; grep -E 'Sig(Blk|Ign)' /proc/self/status";
  const around = `ulimit -Sn 333; ulimit -c 0; umask 0037; trap '' USR1 PIPE; exec "$0" "$@"`;
  const bare = await run(["sh", "-c", around, "sh", "-c", script], { cwd: places.outside });
  const inside = await run(["sh", "-c", around, hallpassProgram, "--prompt=deny", "--", "sh", "-c", script], {
    cwd: places.outside,
  });
  expect(inside).toEqual(bare);
});
