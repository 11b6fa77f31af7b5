/**
 * Which objects the fence lets the target write by itself: existing files in the session's own folders, as long as
 * nothing below them is forbidden or asked about. Whatever is not listed is carried out by the supervisor.
 */
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_RDONLY } from "../../ffi/constants.ts";
import { pathBytes } from "../../ffi/bytes.ts";
import { close } from "../../ffi/fd.ts";
import { openat } from "../../ffi/path-ops.ts";
import { decodePath, encodePath } from "../policy/path-text.ts";
import { Tier } from "../policy/rule.ts";
import { tierOfVerdict } from "../policy/verdict.ts";
import { openFenceRoot, type FenceRights, type FenceRoot } from "./fence.ts";
import { typedEntries } from "./folder-entries.ts";
import type { Judge } from "./judge.ts";
import { PathBytes } from "./path-bytes.ts";

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
    for (const { child, isFolder } of children(path)) {
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
    if (!this.isFree(path)) return false;
    for (const { child, isFolder } of children(path)) {
      if (--this.left <= 0) return false;
      if (isFolder ? !this.isAllFree(child) : !this.isFree(child)) return false;
    }
    return true;
  }
}

const LINK = 10;
const FOLDER = 4;

/** What is in a folder, links left out: what they lead to is somewhere else. */
function* children(path: string): Generator<{ child: string; isFolder: boolean }> {
  const fd = openat(AT_FDCWD, pathBytes(encodePath(path)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  const prefix = path.endsWith("/") ? path : `${path}/`;
  try {
    for (const { name, type } of typedEntries(fd)) {
      if (type === LINK) continue;
      yield { child: prefix + decodePath(name.subarray(0, -1)), isFolder: type === FOLDER };
    }
  } finally {
    close(fd);
  }
}
