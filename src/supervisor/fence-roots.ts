/**
 * Which objects the fence lets the target write by itself: existing files in the session's own folders, as long as
 * nothing below them is forbidden or asked about. Whatever is not listed is carried out by the supervisor.
 */
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_PATH, O_RDONLY } from "../../ffi/constants.ts";
import { cstring, pathBytes } from "../../ffi/bytes.ts";
import { Errno } from "../../ffi/errno.ts";
import { close } from "../../ffi/fd.ts";
import { openat } from "../../ffi/path-ops.ts";
import { decodePath, encodePath } from "../policy/path-text.ts";
import { Tier } from "../policy/rule.ts";
import { tierOfVerdict } from "../policy/verdict.ts";
import { openFenceRoot, type FenceRights, type FenceRoot } from "./fence.ts";
import { typedEntries } from "./folder-entries.ts";
import type { Judge } from "./judge.ts";
import { PathBytes } from "./path-bytes.ts";
import { isSlow } from "./slow-mounts.ts";

/** Names looked at in all; folders that are not looked through become no root. */
const MOST_NAMES = 4000;
const MOST_ROOTS = 400;
const DEVICES = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);
/** Only the caller itself can open its controlling terminal. */
export const TERMINAL = "/dev/tty";

/** `terminals`: by which names the session's own terminal may be opened; without its ioctls less could not read a key. */
export function chooseFenceRoots(judge: Judge, folders: readonly string[], terminals: readonly string[]): FenceRoot[] {
  const search = new Search(judge);
  const devices = DEVICES.filter((path) => search.isFree(path));
  const found = [
    ...[...devices, ...terminals].map((path) => openFenceRoot(path, "device")),
    ...folders.flatMap((path) => search.below(path)),
  ];
  return found.filter((root) => root !== undefined);
}

class Search {
  private left = MOST_NAMES;
  private roots = 0;
  private readonly path = new PathBytes();

  constructor(private readonly judge: Judge) {}

  /** Allowed implicitly, so that nothing has to be logged either. */
  isFree(path: string): boolean {
    const bytes = encodePath(path);
    this.path.set(bytes, bytes.length);
    const verdict = this.judge.write(this.path);
    return verdict >= 0 && tierOfVerdict(verdict) === Tier.implicit;
  }

  /** The folder itself where all below it is free, else the largest free parts of it. */
  below(path: string): (FenceRoot | undefined)[] {
    return this.isAllFree(path) ? [this.open(path, "existing")] : this.parts(path);
  }

  private parts(path: string): (FenceRoot | undefined)[] {
    const found: (FenceRoot | undefined)[] = [];
    for (const { child, isFolder } of children(path) ?? []) {
      if (this.left <= 0 || this.roots >= MOST_ROOTS) return found;
      if (!this.isFree(child)) {
        if (isFolder) found.push(...this.parts(child));
      } else if (!isFolder || this.isAllFree(child)) found.push(this.open(child, "existing"));
      else found.push(...this.parts(child));
    }
    return found;
  }

  private open(path: string, rights: FenceRights): FenceRoot | undefined {
    this.roots++;
    return openFenceRoot(path, rights);
  }

  private isAllFree(path: string): boolean {
    const inside = this.isFree(path) ? children(path) : undefined;
    if (inside === undefined) return false;
    for (const { child, isFolder } of inside) {
      if (--this.left <= 0) return false;
      if (isFolder ? !this.isAllFree(child) : !this.isFree(child)) return false;
    }
    return true;
  }
}

const LINK = 10;
const FOLDER = 4;

interface Child {
  readonly child: string;
  readonly isFolder: boolean;
}

/**
 * What is in a folder, links left out: what they lead to is somewhere else. Nothing is in a file. Undefined for a
 * folder that cannot be read, or on a file system that may keep us waiting: anything may be in it.
 */
function children(path: string): Iterable<Child> | undefined {
  const fd = openFolder(pathBytes(encodePath(path)));
  if (fd === -Errno.ENOTDIR) return [];
  return fd < 0 ? undefined : entries(fd, path.endsWith("/") ? path : `${path}/`);
}

function* entries(fd: number, prefix: string): Generator<Child> {
  try {
    for (const { name, type } of typedEntries(fd)) {
      if (type === LINK) continue;
      yield { child: prefix + decodePath(name.subarray(0, -1)), isFolder: type === FOLDER };
    }
  } finally {
    close(fd);
  }
}

/** Or an errno below zero. */
function openFolder(path: Uint8Array): number {
  const held = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (held < 0) return held;
  const fd = isSlow(held) ? -Errno.EAGAIN : openat(held, DOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(held);
  return fd;
}

const DOT = cstring(".");
