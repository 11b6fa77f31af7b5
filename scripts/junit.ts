/** Reads what `bun test --reporter=junit` writes: how many tests passed, and the names of those that did not. */

export interface Counts {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

const CASE = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*?(\/>|>([\s\S]*?)<\/testcase>)/g;

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function plain(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) => {
    if (name.startsWith("#x")) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
    if (name.startsWith("#")) return String.fromCodePoint(Number(name.slice(1)));
    return ENTITIES[name] ?? whole;
  });
}

export function readJunit(xml: string): Counts {
  let passed = 0;
  const failed: string[] = [];
  const skipped: string[] = [];
  for (const [, name = "", group = "", , body = ""] of xml.matchAll(CASE)) {
    const title = plain(group ? `${group} > ${name}` : name);
    if (body.includes("<failure") || body.includes("<error")) failed.push(title);
    else if (body.includes("<skipped")) skipped.push(title);
    else passed += 1;
  }
  return { passed, failed, skipped };
}
