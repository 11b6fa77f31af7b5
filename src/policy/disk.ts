/** The file system as rules see it when they are made or loaded. One is used for one loading: it remembers what it saw. */
import { lstatSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import type { Disk } from "./links.ts";
import { decodePath, encodePath } from "./path-text.ts";
import { joinPath } from "./paths.ts";

export function openDisk(): Disk {
  const names = new Map<string, ReadonlySet<string>>();
  /** By path; undefined for what is no link. */
  const links = new Map<string, string | undefined>();
  return {
    readlink(path) {
      if (!links.has(path)) links.set(path, readLink(path));
      return links.get(path);
    },
    names(folder) {
      let known = names.get(folder);
      if (known === undefined) names.set(folder, (known = readNames(folder, links)));
      return known;
    },
  };
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

function readNames(folder: string, links: Map<string, string | undefined>): ReadonlySet<string> {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries) if (isNoLink(entry)) links.set(joinPath(folder, entry.name), undefined);
    return new Set(entries.map((entry) => entry.name));
  } catch {
    return new Set();
  }
}

/** Some file systems do not say what an entry is; such a one is looked at when it is asked for. */
function isNoLink(entry: Dirent): boolean {
  return entry.isFile() || entry.isDirectory();
}
