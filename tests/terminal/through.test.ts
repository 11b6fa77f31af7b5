/** The whole program on a real pseudo-terminal, beside the same command on a bare one. */
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { hallpassOnTerminal } from "../support/hallpass.ts";
import { needs, program } from "../support/needs.ts";
import { makePlaces } from "../support/places.ts";
import { TerminalProgram } from "../support/terminal.ts";
import { waitFor } from "../support/wait.ts";
import { difference, stateOf } from "./state.ts";

const folder = join(import.meta.dirname, "recordings");
const recordings = readdirSync(folder).filter((name) => name.endsWith(".bin"));

/** A third of the recording, a question, the second third while it waits, and the rest. Bare, nothing asks. */
function script(outside: string): string {
  return [
    "stty raw -echo -opost",
    "size=$(wc -c <recording)",
    "third=$((size / 3))",
    "head -c $third recording",
    `(tail -c +$((third + 1)) recording | head -c $third; : >second) & (echo x >${outside}/new) 2>/dev/null; wait`,
    "tail -c +$((2 * third + 1)) recording",
  ].join("; ");
}

async function bareState(command: readonly string[], cwd: string): Promise<string[]> {
  await using terminal = new TerminalProgram(command, { cwd });
  await terminal.exited;
  await terminal.settled();
  return stateOf(terminal.screen);
}

/** How a saved cursor and a link are kept is seen in the twins; here a mark that joins is cut off by the kernel's own timing. */
const facts = (state: readonly string[]): string[] => state.filter((line) => !line.startsWith("last "));

describe("hallpass with a question in the middle of the output of", () => {
  test.each(recordings)(
    "%s",
    async (name) => {
      using places = makePlaces();
      copyFileSync(join(folder, name), join(places.project, "recording"));
      const wanted = await bareState(["sh", "-c", script(places.project)], places.project);
      await using terminal = hallpassOnTerminal(places, ["--", "sh", "-c", script(places.outside)]);
      await terminal.shows("wants to");
      await waitFor("the second third", () => readdirSync(places.project).includes("second"));
      await Bun.sleep(700);
      terminal.type("d");
      await terminal.exited;
      await terminal.settled();
      expect(difference(facts(wanted), facts(stateOf(terminal.screen)))).toBe("");
    },
    40_000,
  );
});

needs(program("tmux"))(
  "inside tmux, the pane and its scrollback are what they are without hallpass",
  async () => {
    using places = makePlaces();
    const work = (outside: string): string =>
      `i=0; while [ $i -lt 60 ]; do echo "line $i"; i=$((i+1)); done; printf '\\033[31mred\\033[0m '; (echo x >${outside}/new) 2>/dev/null; printf 'same line\\n'; i=0; while [ $i -lt 5 ]; do echo "after $i"; i=$((i+1)); done; touch over; sleep 30`;
    const pane = async (command: string, answer: boolean): Promise<string> => {
      const name = `hallpass-test-${process.pid}`;
      const tmux = (...args: string[]): string =>
        Bun.spawnSync(["tmux", "-L", name, "-f", "/dev/null", ...args]).stdout.toString();
      const env = { ...process.env, TERM: "xterm-256color" } as Record<string, string>;
      await using terminal = new TerminalProgram(["tmux", "-L", name, "-f", "/dev/null", "new", command], {
        cwd: places.project,
        env,
      });
      if (answer) {
        await terminal.shows("wants to write");
        expect(terminal.text()).toContain("line 59");
        await Bun.sleep(700);
        terminal.type("d");
      }
      await waitFor("the end", () => readdirSync(places.project).includes("over"));
      await terminal.shows("after 4");
      const captured = tmux("capture-pane", "-p", "-e", "-S", "-");
      const cursor = tmux("display", "-p", "#{cursor_x},#{cursor_y} #{alternate_on} #{history_size}");
      tmux("kill-server");
      Bun.spawnSync(["rm", "-f", join(places.project, "over")]);
      return captured + cursor;
    };
    const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
    const bare = await pane(`sh -c ${quoted(work(places.project))}`, false);
    const { hallpassProgram } = await import("../support/tree.ts");
    const shown = await pane(`${hallpassProgram} -- sh -c ${quoted(work(places.outside))}`, true);
    expect(shown).toBe(bare);
  },
  40_000,
);
