/** The picture of the bar and the transcript in docs/ are what the program shows today. */
import { expect, test } from "bun:test";
import { firstSession, type Step } from "../../scripts/picture/first-session.ts";
import { fenced, read } from "../support/docs.ts";

/** Process numbers differ from run to run, and where nobody is root the home lies elsewhere. */
function steady(screen: string): string {
  return screen
    .replace(/pid \d+/g, "pid N")
    .replace(/hallpass-test-\w{6}/g, "hallpass-test-XXXXXX")
    .trimEnd();
}

function textOf(picture: string): string {
  const entities: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  const words = [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text).join("");
  return words.replace(/&(lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}

test("a first session goes as docs/first-session.md and docs/bar.svg show it", async () => {
  const steps: Step[] = [];
  await firstSession({ see: (step) => steps.push(step) });
  expect(fenced(read("docs/first-session.md"), "text").map(steady)).toEqual(steps.map(({ screen }) => steady(screen)));
  const squeezed = (text: string): string => steady(text).replace(/\s+/g, "");
  expect(squeezed(textOf(read("docs/bar.svg")))).toBe(squeezed(steps[1]?.screen ?? ""));
}, 60_000);
