/** A first session as a new user has it, on the real program: a screen after each step. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "@xterm/headless";
import { environment, hallpassFor } from "../../tests/support/hallpass.ts";
import { makePlaces } from "../../tests/support/places.ts";
import { TerminalProgram } from "../../tests/support/terminal.ts";
import { give, ordinaryUser } from "../../tests/support/user.ts";

export interface Step {
  readonly what: string;
  readonly screen: string;
}

export interface Watcher {
  /** Called while the screen shows the step. */
  see(step: Step, screen: Terminal): void;
}

const PROMPT = "~/my-project $ ";
/** The bar's first words (SPEC §2). */
const BAR = "wants to write";

/** Keys are ignored in the first half second after a request appears: the answer is given until it is taken. */
async function answer(terminal: TerminalProgram, key: string): Promise<void> {
  const end = performance.now() + 15_000;
  while (terminal.text().includes(BAR) && performance.now() < end) {
    terminal.type(key);
    await Bun.sleep(100);
  }
}

export async function firstSession(watcher: Watcher): Promise<void> {
  const user = ordinaryUser();
  using places = makePlaces(user);
  const home = join(places.root, "me");
  const project = join(home, "my-project");
  for (const folder of [home, project]) {
    mkdirSync(folder);
    give(folder, user);
  }
  writeFileSync(join(home, ".bashrc"), `PS1='\\w $ '\nHISTFILE=\n`);
  appendFileSync(join(home, ".profile"), "");
  for (const file of [".bashrc", ".profile"]) give(join(home, file), user);
  const env = environment(places, user, { HOME: home, PS1: "\\w $ " });
  await using terminal = new TerminalProgram(hallpassFor(user), { cols: 92, rows: 20, cwd: project, env });
  const step = async (what: string): Promise<void> => {
    await terminal.settled();
    watcher.see({ what, screen: terminal.text().trimEnd() }, terminal.screen);
  };
  await terminal.shows(PROMPT.trimEnd());
  terminal.type("echo hello > note && cat note\r");
  await terminal.shows(/^hello$/m);
  await step("Writing in the project asks nothing.");
  terminal.type("echo 'alias ls=rm' >> ~/.bashrc\r");
  await terminal.shows(BAR);
  await step("Writing outside of it stops the shell, and the bar asks.");
  await answer(terminal, "d");
  await terminal.shows("Permission denied");
  await step("`d` denies it: the bar is gone, and the file is what it was.");
  terminal.type("cat ~/.bashrc\r");
  await terminal.shows(/^HISTFILE=$/m);
  terminal.type("exit\r");
  await terminal.exited;
  await step("`exit` leaves the sandbox.");
}
