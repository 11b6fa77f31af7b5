import { expect, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leakedFds } from "./fds.ts";
import { environment, run } from "./hallpass.ts";
import { makePlaces, picture } from "./places.ts";
import { TerminalProgram } from "./terminal.ts";
import { asUser, ordinaryUser } from "./user.ts";
import { TimedOut, waitFor } from "./wait.ts";

test("the terminal shows what a program prints and takes keys", async () => {
  await using shell = new TerminalProgram(["sh", "-c", 'printf "name? "; read name; echo "hello $name"; read wait']);
  await shell.shows("name?");
  shell.type("ann\r");
  await shell.shows("hello ann");
  shell.type("\r");
  expect(await shell.exited).toBe(0);
});

test("the terminal answers a program that asks where the cursor is", async () => {
  await using asker = new TerminalProgram(["bash", "-c", "read -rs -dR -p $'\\e[6n' reply; echo \"got ${reply#*[}\""]);
  await asker.shows("got 1;1");
});

test("a picture of a folder shows a touch, a change of mode and a new name", async () => {
  using places = makePlaces();
  const before = picture(places.outside);
  expect(picture(places.outside)).toEqual(before);
  for (const change of ["touch keep", "chmod 600 keep", "ln keep other"]) {
    await run(["sh", "-c", change], { cwd: places.outside });
    expect(picture(places.outside)).not.toEqual(before);
  }
});

test("the ordinary user is not root, owns the places made for it and has its own runtime folder", async () => {
  const user = ordinaryUser();
  using places = makePlaces(user);
  const script =
    'id -u; touch made && stat -c %u made; stat -c "%u %a" "$XDG_RUNTIME_DIR"; touch /etc/x 2>/dev/null || echo refused';
  const env = environment(places, user);
  const ended = await run([...asUser(user), "sh", "-c", script], { cwd: places.project, env });
  expect(ended.stderr).toBe("");
  expect(ended.stdout).toBe(`${user.uid}\n${user.uid}\n${user.uid} 700\nrefused\n`);
});

test("a descriptor left open is reported, one that was closed is not", async () => {
  using places = makePlaces();
  const file = join(places.project, "file");
  writeFileSync(file, "");
  let left = -1;
  expect(await leakedFds(() => closeSync(openSync(file, "r")))).toEqual([]);
  expect(await leakedFds(() => void (left = openSync(file, "r")))).toEqual([`${left} ${file}`]);
  closeSync(left);
});

test("waiting for what never comes fails and says what it was", () => {
  expect(waitFor("the moon", () => false, 30)).rejects.toThrow(new TimedOut("the moon: not within 30 ms"));
});
