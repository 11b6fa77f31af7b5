/**
 * Real paths for callers in another mount namespace: where the object lies in its file system, and what we call that
 * place. A path as such says nothing there, for anything can be mounted on anything.
 */
import { ascii, cstring, pathBytes } from "../../ffi/bytes.ts";
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { readFile } from "../../ffi/fd.ts";
import { fstatx, statx } from "../../ffi/path-ops.ts";
import { STATX, STATX_INO, STATX_MNT_ID, StatxBuffer } from "../../ffi/statx.ts";
import { decodePath, encodePath } from "../policy/path-text.ts";
import type { PathBytes } from "./path-bytes.ts";

const LARGEST = 4 << 20;

interface Mount {
  readonly id: number;
  /** "major:minor" */
  readonly device: string;
  /** Which folder of the file system is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** Replaces the path of `fd` as its namespace has it by ours. 0 or -errno; -EXDEV: the place has no name here. */
export function translate(tid: number, fd: number, path: PathBytes): number {
  const stat = new StatxBuffer();
  if (fstatx(fd, STATX_INO | STATX_MNT_ID, stat.words) < 0) return -Errno.EACCES;
  const id = stat.words[STATX.mountLow]!;
  const all = mountsOf("self");
  // A descriptor from before the caller left: the path is ours already.
  if (all.some((mount) => mount.id === id)) return 0;
  const theirs = mountsOf(String(tid)).find((mount) => mount.id === id);
  if (!theirs) return -Errno.EXDEV;
  const text = path.text();
  if (!isBelow(text, theirs.point)) return -Errno.EXDEV;
  const place = join(theirs.root, text.slice(theirs.point === "/" ? 0 : theirs.point.length));
  const ours = all.filter((mount) => mount.device === theirs.device && isBelow(place, mount.root));
  for (const mount of ours.toReversed()) {
    const name = join(mount.point, place.slice(mount.root === "/" ? 0 : mount.root.length));
    if (!isSame(name, stat)) continue;
    const bytes = encodePath(name);
    path.set(bytes, bytes.length);
    return 0;
  }
  return ours.length === 0 && theirs.type === "tmpfs" ? OWN_TMPFS : -Errno.EXDEV;
}

/** The object lies in memory that is mounted nowhere but there: it goes when the namespace goes. */
export const OWN_TMPFS = 1;

function isSame(name: string, stat: StatxBuffer): boolean {
  const other = new StatxBuffer();
  const found = statx(AT_FDCWD, pathBytes(encodePath(name)), AT_SYMLINK_NOFOLLOW, STATX_INO, other.words);
  return found >= 0 && other.ino === stat.ino && other.dev === stat.dev;
}

function isBelow(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

function join(folder: string, rest: string): string {
  return folder === "/" ? rest || "/" : `${folder}${rest === "/" ? "" : rest}`;
}

/** proc_pid_mountinfo(5). */
function mountsOf(process: string): Mount[] {
  const bytes = new Uint8Array(LARGEST);
  const length = readFile(AT_FDCWD, cstring(`/proc/${process}/mountinfo`), bytes);
  const lines = length <= 0 ? [] : ascii(bytes, 0, length).trimEnd().split("\n");
  return lines.map((line) => {
    const [front = "", back = ""] = line.split(" - ");
    const [id = "", , device = "", root = "", point = ""] = front.split(" ");
    return { id: Number(id), device, root: plain(root), point: plain(point), type: back.split(" ")[0] ?? "" };
  });
}

/** `\040` and its like; the rest is bytes. */
function plain(text: string): string {
  const bytes = text.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return decodePath(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
