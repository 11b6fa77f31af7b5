/** `bun scripts/picture/main.ts`: draws docs/bar.svg and writes docs/first-session.md anew, both from the real program. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstSession, type Step } from "./first-session.ts";
import { svg } from "./svg.ts";

const docs = join(import.meta.dir, "..", "..", "docs");

function transcript(steps: readonly Step[]): string {
  const parts = steps.map(({ what, screen }) => `${what}\n\n\`\`\`text\n${screen}\n\`\`\``);
  const head = ["# A first session", "Written by `bun scripts/picture/main.ts` from the real program."];
  return `${[...head, ...parts].join("\n\n")}\n`;
}

const steps: Step[] = [];
await firstSession({
  see: (step, screen) => {
    steps.push(step);
    if (steps.length === 2)
      writeFileSync(join(docs, "bar.svg"), svg(screen, "hallpass asks before a write outside the project"));
  },
});
writeFileSync(join(docs, "first-session.md"), transcript(steps));
