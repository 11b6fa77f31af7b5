/** Folders for one test: a project, and an outside that no rule makes writable. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { give, type User } from "./user.ts";

export interface Places extends Disposable {
  /** Holds all the rest; owned by the user. */
  readonly root: string;
  readonly project: string;
  /** Holds a file `keep` ("original") and a folder `sub`. */
  readonly outside: string;
}

/** /var/tmp and not /tmp: hallpass has allowances of its own below /tmp. */
const PARENT = "/var/tmp";

export function makePlaces(user?: User): Places {
  const root = mkdtempSync(join(PARENT, "hallpass-test-"));
  const project = join(root, "project");
  const outside = join(root, "outside");
  for (const folder of [project, outside, join(outside, "sub")]) mkdirSync(folder);
  writeFileSync(join(outside, "keep"), "original");
  chmodSync(root, 0o755);
  if (user !== undefined) {
    for (const path of [root, project, outside, join(outside, "sub"), join(outside, "keep")]) give(path, user);
  }
  return { root, project, outside, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

/** Everything a program could change below `folder`, one line an entry: two pictures are equal when nothing was touched. */
export function picture(folder: string): string[] {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stat = lstatSync(path, { bigint: true });
    const content = stat.isFile() ? readFileSync(path, "latin1") : stat.isSymbolicLink() ? readlinkSync(path) : "";
    const { mode, uid, gid, nlink, size, mtimeNs, ctimeNs } = stat;
    lines.push([path, mode, uid, gid, nlink, size, mtimeNs, ctimeNs, JSON.stringify(content)].join(" "));
    if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name));
  };
  visit(folder);
  return lines;
}
