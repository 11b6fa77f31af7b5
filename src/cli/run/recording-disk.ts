/** A Disk that remembers what it was asked and told, so that somebody else can tell later whether it would say the same. */
import { lstatSync } from "node:fs";
import type { Disk } from "../../policy/index.ts";

/** What was seen in one folder. */
export interface SeenFolder {
  readonly path: string;
  /** Of the folder: its identity and the time of its last change; undefined where there was none. */
  readonly stamp: string | undefined;
  /** All its names were asked for: any change counts. */
  readonly wasListed: boolean;
  /** Single names that were asked for: a link's text, or null for anything else and for what is not there. */
  readonly links: Readonly<Record<string, string | null>>;
}

/** A change in this time before a look may hide another with the same time. */
const RACY_MS = 50;
/** No folder has this stamp: the single names are looked at again. */
const NEVER = "never";

export class RecordingDisk implements Disk {
  private readonly links = new Map<string, Map<string, string | null>>();
  private readonly listed = new Set<string>();

  constructor(private readonly disk: Disk) {}

  readlink(path: string): string | undefined {
    const text = this.disk.readlink(path);
    const slash = path.lastIndexOf("/");
    const folder = path.slice(0, slash) || "/";
    let names = this.links.get(folder);
    if (!names) this.links.set(folder, (names = new Map()));
    names.set(path.slice(slash + 1), text ?? null);
    return text;
  }

  names(folder: string): ReadonlySet<string> {
    this.listed.add(folder);
    return this.disk.names(folder);
  }

  /** What was seen; undefined where a folder's list changed so lately that its stamp says little. */
  seen(now: number): SeenFolder[] | undefined {
    const folders: SeenFolder[] = [];
    for (const path of new Set([...this.links.keys(), ...this.listed])) {
      const found = stampOf(path);
      const isRacy = found !== undefined && found.changedAt > now - RACY_MS;
      const wasListed = this.listed.has(path);
      if (isRacy && wasListed) return undefined;
      const links = Object.fromEntries(this.links.get(path) ?? []);
      folders.push({ path, stamp: isRacy ? NEVER : found?.stamp, wasListed, links });
    }
    return folders;
  }
}

/** Whether the disk would say all this again. */
export function isSeenStill(folders: readonly SeenFolder[], disk: Disk): boolean {
  return folders.every(({ path, stamp, wasListed, links }) => {
    if (stampOf(path)?.stamp === stamp) return true;
    if (wasListed) return false;
    const prefix = path === "/" ? "/" : `${path}/`;
    return Object.entries(links).every(([name, text]) => (disk.readlink(prefix + name) ?? null) === text);
  });
}

function stampOf(path: string): { stamp: string; changedAt: number } | undefined {
  try {
    const { dev, ino, mtimeNs, ctimeNs, mtimeMs } = lstatSync(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${mtimeNs}:${ctimeNs}`, changedAt: Number(mtimeMs) };
  } catch {
    return undefined;
  }
}
