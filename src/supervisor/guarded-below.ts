/** Renaming a folder is a write to every guarded path that is below it, by its old name or by its new one. */
import { O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_RDONLY } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { openat } from "../../ffi/path-ops.ts";
import { isContentVerdict } from "../policy/verdict.ts";
import { movedVerdict, withoutContent } from "./git-content.ts";
import { isRestricting, stricter } from "./judge.ts";
import { PathBytes } from "./path-bytes.ts";
import type { Place } from "./place.ts";
import { entries } from "./folder-entries.ts";
import type { Supervision } from "./supervision.ts";

/** Names looked at before the loop has to go on to other calls; an action worker looks at all. */
const FEW = 4000;
const DEEPEST = 200;

const FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

interface Search {
  readonly s: Supervision;
  readonly from: PathBytes;
  readonly to: PathBytes;
  found: number;
  left: number;
}

/** The strictest rule met, `allowed` where none is; undefined where there is too much to look through here. */
export function foldersUnder(s: Supervision, from: Place, to: Place, allowed: number): number | undefined {
  const below = [s.judge.writeBelow(from.real), s.judge.writeBelow(to.real)];
  if (!below.some((verdict) => verdict < 0 || isRestricting(verdict))) return allowed;
  const fd = openat(from.parent, from.name, FOLDER);
  // A folder that cannot be read may hold anything.
  if (fd < 0) return below.reduce(stricter);
  const search: Search = {
    s,
    from: copyOf(from.real),
    to: copyOf(to.real),
    found: allowed,
    left: s.means.mayTakeLong ? Infinity : FEW,
  };
  if (lookThrough(search, fd, 0)) return search.found;
  return s.means.mayTakeLong ? below.reduce(stricter) : undefined;
}

function copyOf(path: PathBytes): PathBytes {
  const copy = new PathBytes();
  copy.set(path.bytes, path.length);
  return copy;
}

/** Closes `fd`. False where it had to stop early. */
function lookThrough(search: Search, fd: number, depth: number): boolean {
  try {
    for (const name of entries(fd)) {
      if (--search.left < 0 || depth > DEEPEST) return false;
      if (!lookAtEntry(search, fd, name, depth)) return false;
    }
    return true;
  } finally {
    close(fd);
  }
}

function lookAtEntry(search: Search, folder: number, name: Uint8Array, depth: number): boolean {
  const { from, to } = search;
  const lengths = [from.length, to.length] as const;
  if (!from.appendName(name, name.length - 1) || !to.appendName(name, name.length - 1)) return false;
  meet(search, withoutContent(search.s.judge.writeName(from)));
  const named = search.s.judge.writeName(to);
  meet(search, movedVerdict(folder, name, named));
  if (isContentVerdict(named)) search.s.fence.guard(to);
  const fd = openat(folder, name, FOLDER);
  if (fd === -Errno.ELOOP) meet(search, search.s.judge.writeLink(to));
  const isDone = fd < 0 || lookThrough(search, fd, depth + 1);
  from.end(lengths[0]);
  to.end(lengths[1]);
  return isDone;
}

function meet(search: Search, verdict: number): void {
  if (verdict < 0 || isRestricting(verdict)) search.found = stricter(search.found, verdict);
}
