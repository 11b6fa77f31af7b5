import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { hallpassOnTerminal } from "../support/hallpass.ts";
import { needs, program } from "../support/needs.ts";
import { makePlaces, type Places } from "../support/places.ts";
import { waitFor } from "../support/wait.ts";
import type { TerminalOptions, TerminalProgram } from "../support/terminal.ts";

const ASKED = "wants to write";
function start(places: Places, script: string, options: TerminalOptions = {}): TerminalProgram {
  return hallpassOnTerminal(places, ["--", "sh", "-c", script], options);
}

function barRow(terminal: TerminalProgram): number {
  return terminal.rows().findIndex((row) => row.startsWith("hallpass: "));
}

/** The bar as it looks when its keys work: its first row is bold. */
function isAwake(terminal: TerminalProgram): boolean {
  const row = barRow(terminal);
  if (row < 0) return false;
  const { active } = terminal.screen.buffer;
  return (
    (active
      .getLine(active.viewportY + row)
      ?.getCell(0)
      ?.isBold() ?? 0) !== 0
  );
}

async function awake(terminal: TerminalProgram): Promise<void> {
  await terminal.shows(ASKED);
  await waitFor("the bar is awake", () => isAwake(terminal));
}

async function ends(terminal: TerminalProgram): Promise<number> {
  const status = await terminal.exited;
  await terminal.settled();
  return status;
}

describe("keys", () => {
  test.each([
    ["o", "written"],
    ["d", "refused"],
    ["\x1b", "refused"],
    ["\x1b[111u", "written"],
  ])("%j: %s", async (key, outcome) => {
    using places = makePlaces();
    const file = join(places.outside, "new");
    await using terminal = start(places, `echo x > ${file}; echo status $?`);
    await awake(terminal);
    terminal.type(key);
    expect(await ends(terminal)).toBe(0);
    expect(terminal.text()).toContain(outcome === "written" ? "status 0" : "status 2");
    expect(existsSync(file)).toBe(outcome === "written");
    expect(terminal.text()).not.toContain("hallpass:");
  });

  test("[a] makes a rule for the wider target, and what it covers is not asked again", async () => {
    using places = makePlaces();
    const script = `echo 1 > ${places.outside}/sub/a && echo 2 > ${places.outside}/sub/b && echo both`;
    await using terminal = start(places, script);
    await awake(terminal);
    const shown = terminal.text();
    expect(shown).toContain(`${places.outside}/sub/a`);
    expect(shown).toContain("[t] and [a] allow:");
    terminal.type("a");
    expect(await ends(terminal)).toBe(0);
    expect(terminal.text()).toContain("both");
  });

  test("Ctrl-C dismisses and reaches the program", async () => {
    using places = makePlaces();
    await using terminal = start(places, `trap 'echo interrupted' INT; echo x > ${places.outside}/new; echo status $?`);
    await awake(terminal);
    terminal.type("\x03");
    await ends(terminal);
    expect(terminal.text()).toContain("interrupted");
    expect(existsSync(join(places.outside, "new"))).toBe(false);
  });
});

/** What is typed, and what must not come of it: the request is still there afterwards, and nothing was written. */
async function answersNothing(input: (terminal: TerminalProgram) => void | Promise<void>): Promise<void> {
  using places = makePlaces();
  const file = join(places.outside, "new");
  await using terminal = start(places, `echo x > ${file}; echo status $?`);
  await awake(terminal);
  await input(terminal);
  // The next key is the proof: it finds the question as it was.
  await Bun.sleep(700);
  expect(isAwake(terminal)).toBe(true);
  terminal.type("d");
  await ends(terminal);
  expect(terminal.text()).toContain("status 2");
  expect(existsSync(file)).toBe(false);
}

describe("answers nothing", () => {
  const INPUTS: Record<string, string[]> = {
    "a paste": ["\x1b[200~o\x1b[201~"],
    "a paste of many lines in pieces": ["\x1b[200~o", "\ra\r", "o", "\x1b[201~"],
    "a paste without brackets": ["ooo"],
    "a wheel that types arrows, and letters with it": ["\x1b[A\x1b[A\x1b[Ao"],
    "a reply with letters": ["\x1b[0n"],
    "a reply whose ESC comes alone": ["\x1b", "[0n"],
    "a report of the clipboard": ["\x1b]52;c;bw==\x07"],
    "a report in pieces": ["\x1b]11;rgb:", "aaaa/nnnn/oooo", "\x1b\\"],
    "a mouse click and its release": ["\x1b[<0;10;20M", "\x1b[<0;10;20m"],
    focus: ["\x1b[I", "\x1b[O"],
    "Alt and a letter": ["\x1bo"],
    "a key that is let go": ["\x1b[111;1:3u"],
    "other keys": ["x", "\r", " ", "y"],
  };

  test.each(Object.keys(INPUTS))("%s", async (name) => {
    await answersNothing(async (terminal) => {
      for (const piece of INPUTS[name]!) {
        terminal.type(piece);
        await Bun.sleep(60);
      }
    });
  });

  test("what was typed before the question, and in its first half second", async () => {
    using places = makePlaces();
    await using terminal = start(places, `echo ready; read go; echo x > ${places.outside}/new; echo status $?`);
    await terminal.shows("ready");
    terminal.type("\roao");
    await terminal.shows(ASKED);
    expect(isAwake(terminal)).toBe(false);
    terminal.type("o");
    await awake(terminal);
    terminal.type("d");
    await ends(terminal);
    expect(terminal.text()).toContain("status 2");
  });
});

describe("the program's output", () => {
  test("goes on above the bar, and is all there afterwards", async () => {
    using places = makePlaces();
    const script = `(while [ ! -e stop ]; do i=$((i+1)); echo "line $i"; sleep 0.02; done) & echo x > ${places.outside}/new; touch stop; wait; echo end`;
    await using terminal = start(places, script);
    await awake(terminal);
    const first = Number(/line (\d+)\s*$/m.exec(terminal.rows().slice(0, barRow(terminal)).join("\n"))?.[1] ?? 0);
    await waitFor("lines above the bar", () => {
      const above = terminal
        .rows()
        .slice(0, Math.max(barRow(terminal), 0))
        .join("\n");
      return above.includes(`line ${first + 40}`);
    });
    expect(terminal.text()).toContain(ASKED);
    terminal.type("d");
    await ends(terminal);
    const lines = terminal.history().filter((row) => row.startsWith("line "));
    expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`));
    expect(terminal.history().join("\n")).not.toContain("hallpass:");
  });

  test("is answered by the terminal meanwhile", async () => {
    using places = makePlaces();
    const script = `stty raw -echo; (sleep 0.8; printf '\\033[6n'; dd bs=1 count=6 </dev/tty 2>/dev/null | od -c >reply) & echo x > ${places.outside}/new; wait`;
    await using terminal = start(places, script);
    await awake(terminal);
    const reply = await waitFor("the reply", () => {
      const file = join(places.project, "reply");
      return existsSync(file) && readFileSync(file, "utf8").includes("R") && readFileSync(file, "utf8");
    });
    expect(reply).toMatch(/033\s+\[\s+1\s+;\s+1\s+R/);
    expect(terminal.text()).toContain(ASKED);
    terminal.type("d");
    await ends(terminal);
  });

  test("cannot hide the question or stand in for it", async () => {
    using places = makePlaces();
    const fake = "hallpass: sh (pid 1) wants to write /harmless";
    const attacks = [
      `\\033[24;1H${fake}`,
      "\\033[2J\\033[H",
      "\\033[1;3r\\033[3;1H\\n\\n\\n\\033[r",
      "\\033c",
      "\\033[?1049h\\033[2J\\033[?1049l",
      "\\033]0;title\\007\\033[?6h\\033[20;1Hx",
      "\\033[?2026h",
      "\\033[8m\\033[?5h",
      "\\033(0\\016",
    ];
    const script = `(sleep 0.2; while [ ! -e stop ]; do ${attacks.map((attack) => `printf '${attack}'; sleep 0.02;`).join(" ")} done) & echo x > ${places.outside}/wanted; touch stop; wait; printf '\\033c'`;
    await using terminal = start(places, script);
    await awake(terminal);
    for (let look = 0; look < 20; look++) {
      await Bun.sleep(37);
      await terminal.settled();
      const rows = terminal.rows();
      const row = barRow(terminal);
      // Between two looks the bar may be gone for the moment in which the terminal takes its output.
      if (terminal.screen.buffer.active.type === "normal") continue;
      expect(rows.slice(row).join("\n")).toContain(`${places.outside}/wanted`);
      expect(rows.at(-1)).toContain("[Esc] dismiss");
    }
    terminal.type("d");
    await ends(terminal);
    expect(existsSync(join(places.outside, "wanted"))).toBe(false);
  });

  test("of a hundred megabytes while the bar is up is passed on in bounded memory", async () => {
    using places = makePlaces();
    const script = `(sleep 0.3; yes 'a line of output that fills some of the row' | head -c 100000000; echo; echo all; touch done) & echo x > ${places.outside}/new; wait`;
    await using terminal = start(places, script);
    await awake(terminal);
    let most = 0;
    await waitFor(
      "the burst is over",
      () => {
        const status = readFileSync(`/proc/${terminal.pid}/status`, "utf8");
        most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
        terminal.output.length = 0;
        return existsSync(join(places.project, "done"));
      },
      100_000,
    );
    expect(most).toBeLessThan(300_000);
    await terminal.shows(ASKED, 30_000);
    terminal.type("d");
    await ends(terminal);
    expect(terminal.text()).toContain("all");
  }, 150_000);
});

describe("size", () => {
  test("20 columns", async () => {
    using places = makePlaces();
    await using terminal = start(places, `echo x > ${places.outside}/new; echo status $?`, { cols: 20, rows: 24 });
    await terminal.shows("wants to");
    await terminal.shows("dismiss");
    await waitFor("the bar is awake", () => isAwake(terminal));
    terminal.type("d");
    await ends(terminal);
    expect(terminal.text()).toContain("status 2");
  });

  test("changes under the bar, and the program hears of it", async () => {
    using places = makePlaces();
    const script = `trap 'stty size' WINCH; (while [ ! -e stop ]; do sleep 0.05; done) & echo x > ${places.outside}/new; touch stop; stty size; wait; echo end`;
    await using terminal = start(places, script);
    await awake(terminal);
    terminal.resize(60, 30);
    await waitFor(
      "the bar at the bottom of the new size",
      () => terminal.rows().length === 30 && barRow(terminal) > 18,
    );
    terminal.resize(100, 12);
    await waitFor(
      "the bar in few rows",
      () => terminal.rows().length === 12 && terminal.text().includes("[Esc] dismiss"),
    );
    await waitFor("the bar is awake", () => isAwake(terminal));
    terminal.type("d");
    await ends(terminal);
    expect(terminal.text()).toContain("12 100");
    expect(terminal.history().join("\n")).not.toContain("hallpass:");
  });
});

needs(program("vim"))("vim's screen is as it was after a question over it", async () => {
  using places = makePlaces();
  writeFileSync(join(places.project, "text"), Array.from({ length: 50 }, (_, i) => `line ${i} of the text\n`).join(""));
  const args = ["--", "vim", "-u", "NONE", "-N", "-n", "--cmd", "set nobackup nowritebackup", "text"];
  await using terminal = hallpassOnTerminal(places, args);
  await terminal.shows("line 20 of the text");
  terminal.type(`:w ${places.outside}/copy\r`);
  await awake(terminal);
  expect(terminal.screen.buffer.active.type).toBe("alternate");
  expect(terminal.text()).toContain("line 3 of the text");
  terminal.type("d");
  await terminal.shows(/E212|Can't open/);
  terminal.type("\r");
  await terminal.shows("line 0 of the text");
  expect(terminal.rows().slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i} of the text`));
  terminal.type(":q!\r");
  expect(await ends(terminal)).toBe(0);
  expect(terminal.screen.buffer.active.type).toBe("normal");
});
