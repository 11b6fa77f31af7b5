/** The file system as rules see it when they are made or loaded. One is used for one loading: it remembers what it saw. */
import { lstatSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import type { Disk } from "./links.ts";
import { decodePath, encodePath } from "./path-text.ts";

export function openDisk(): Disk {
  const folders = new Map<string, Folder>();
  const links = new Map<string, string | undefined>();
  const folder = (path: string): Folder => {
    let known = folders.get(path);
    if (known === undefined) folders.set(path, (known = readFolder(path)));
    return known;
  };
  return {
    readlink(path) {
      const slash = path.lastIndexOf("/");
      // Most programs are no links, and their folder has said so.
      if (folders.get(path.slice(0, slash))?.plain.has(path.slice(slash + 1)) === true) return undefined;
      if (!links.has(path)) links.set(path, readLink(path));
      return links.get(path);
    },
    names: (path) => folder(path).names,
  };
}

interface Folder {
  readonly names: ReadonlySet<string>;
  /** Those that are files or folders themselves. */
  readonly plain: ReadonlySet<string>;
}

/** What cannot be looked at counts as no link: the rule then stands for the path as it is spelled. */
function readLink(path: string): string | undefined {
  try {
    const bytes = Buffer.from(encodePath(path));
    if (lstatSync(bytes, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
    return decodePath(readlinkSync(bytes, { encoding: "buffer" }));
  } catch {
    return undefined;
  }
}

function readFolder(path: string): Folder {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return { names: new Set(entries.map(nameOf)), plain: new Set(entries.filter(isNoLink).map(nameOf)) };
  } catch {
    return { names: new Set(), plain: new Set() };
  }
}

function nameOf(entry: Dirent): string {
  return entry.name;
}

/** Some file systems do not say what an entry is; such a one is looked at when it is asked for. */
function isNoLink(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory();
}
