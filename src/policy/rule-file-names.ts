/** Where rules are saved: `~/.config/hallpass/rules`, and one file a project below `projects/`. */
import { join } from "node:path";
import { encodePath } from "./path-text.ts";
import { hexByte } from "./show.ts";

/** The rules of every project. */
export function everywhereFile(config: string): string {
  return join(config, "rules");
}

/** The rules of one project (a real path, path text). */
export function projectFile(config: string, project: string): string {
  return join(config, "projects", projectName(project));
}

/** A name that one can read: `home-me-app`. `-`, `%` and odd bytes as `%NN`, so that two projects never share one. */
function projectName(project: string): string {
  const plain = [...encodePath(project.replace(/^\//, ""))]
    .map((byte) => (byte === 0x2f ? "-" : isPlain(byte) ? String.fromCharCode(byte) : `%${hexByte(byte).slice(2)}`))
    .join("");
  if (plain.length <= 200) return `${plain || "%2f"}.rules`;
  const digest = new Bun.CryptoHasher("sha256").update(encodePath(project)).digest("hex").slice(0, 32);
  return `${plain.slice(0, 150)}-%${digest}.rules`;
}

function isPlain(byte: number): boolean {
  return /[\w.+@~,=]/.test(String.fromCharCode(byte));
}
