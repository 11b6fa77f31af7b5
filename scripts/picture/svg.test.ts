import { expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { svg } from "./svg.ts";

async function picture(output: string): Promise<string> {
  const screen = new Terminal({ cols: 20, rows: 2, allowProposedApi: true });
  await new Promise<void>((resolve) => screen.write(output, resolve));
  return svg(screen, "a <title>");
}

test("shows the text of the screen, and escapes what XML would read", async () => {
  const shown = await picture("a < b & c");
  expect(shown).toContain(">a &lt; b &amp; c");
  expect(shown).toContain("<title>a &lt;title&gt;</title>");
});

test("keeps colors, bold and inverse", async () => {
  const shown = await picture("\x1b[1;38;2;1;2;3mbold\x1b[0m \x1b[7minverse\x1b[0m \x1b[48;5;196mred");
  expect(shown).toContain('fill="#010203" font-weight="bold"');
  expect(shown).toContain('fill="#d8dee9"/>');
  expect(shown).toContain('fill="#ff0000"/>');
});
