/** Following symlinks as the kernel does, by what a `Disk` tells; policy itself looks at no disk. */
import { joinPath, parentPath } from "./paths.ts";

/** What policy asks of the file system. Paths are path text. */
export interface Disk {
  /** The text of a symlink; undefined for anything else, and for what is not there. */
  readlink(path: string): string | undefined;
  /** The names in a folder; empty where there is none. */
  names(folder: string): ReadonlySet<string>;
}

/** As many links as the kernel follows. */
const MOST_LINKS = 40;

export interface Followed {
  /** The real path. What is not there yet is spelled as it was. */
  readonly path: string;
  /** The links on the way, as real paths of the links themselves. */
  readonly links: readonly string[];
}

/** Where an absolute path leads. After 40 links the rest is left as it is: the kernel would refuse it (ELOOP). */
export function follow(path: string, disk: Pick<Disk, "readlink">): Followed {
  const links: string[] = [];
  let waiting = path.split("/");
  let real = "/";
  while (waiting.length > 0) {
    const [name, ...rest] = waiting as [string, ...string[]];
    waiting = rest;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real = parentPath(real);
      continue;
    }
    const at = joinPath(real, name);
    const leadsTo = links.length < MOST_LINKS ? disk.readlink(at) : undefined;
    if (leadsTo === undefined) {
      real = at;
      continue;
    }
    links.push(at);
    if (leadsTo.startsWith("/")) real = "/";
    waiting = [...leadsTo.split("/"), ...waiting];
  }
  return { path: real, links };
}
