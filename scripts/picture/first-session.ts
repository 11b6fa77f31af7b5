/** A first session as a new user has it, on the real program: a screen after each step. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "@xterm/headless";
import { environment, hallpassFor } from "../../tests/support/hallpass.ts";
import { isRoot } from "../../tests/support/needs.ts";
import { makePlaces } from "../../tests/support/places.ts";
import { TerminalProgram } from "../../tests/support/terminal.ts";
import { give, ordinaryUser } from "../../tests/support/user.ts";
import { waitFor } from "../../tests/support/wait.ts";

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

/** In the first half second keys are ignored, and the bar shows them faint; then they stand out. */
async function takesKeys(terminal: TerminalProgram): Promise<void> {
  await terminal.shows(BAR);
  await waitFor("the bar takes keys", () => {
    const row = terminal.rows().findIndex((text) => text.includes("[o] once"));
    const line = terminal.screen.buffer.active.getLine(terminal.screen.buffer.active.viewportY + row);
    return row >= 0 && line?.getCell(line.translateToString().indexOf("[o]"))?.isBold() !== 0;
  });
}

/** A home that reads well in a picture, where one can be made and nobody has it; else one below `scratch`. */
function makeHome(scratch: string): { readonly home: string } & Disposable {
  const nice = "/home/ann";
  const home = isRoot && !existsSync(nice) ? nice : join(scratch, "ann");
  mkdirSync(home);
  return { home, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}

export async function firstSession(watcher: Watcher): Promise<void> {
  const user = ordinaryUser();
  using places = makePlaces(user);
  using house = makeHome(places.root);
  const { home } = house;
  const project = join(home, "my-project");
  mkdirSync(project);
  for (const folder of [home, project]) give(folder, user);
  writeFileSync(join(home, ".bashrc"), `PS1='\\w $ '\nHISTFILE=\n`);
  give(join(home, ".bashrc"), user);
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
  await takesKeys(terminal);
  await step("Writing outside of it stops the shell, and the bar asks.");
  terminal.type("d");
  await terminal.shows("Permission denied");
  await step("`d` denies it: the bar is gone, and the file is what it was.");
  terminal.type("cat ~/.bashrc\r");
  await terminal.shows(/^HISTFILE=$/m);
  terminal.type("exit\r");
  await terminal.exited;
  await step("`exit` leaves the sandbox.");
}
