/** Calls that make, remove or rename names: carried out in the held folder, by the name alone. */
import {
  AT_EMPTY_PATH,
  AT_FDCWD,
  AT_REMOVEDIR,
  AT_SYMLINK_FOLLOW,
  AT_SYMLINK_NOFOLLOW,
  RENAME_EXCHANGE,
  RENAME_NOREPLACE,
  RENAME_WHITEOUT,
  S_IFBLK,
  S_IFCHR,
  S_IFDIR,
  S_IFLNK,
  S_IFMT,
} from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";
import { linkat, mkdirat, mknodat, renameat2, statx, symlinkat, unlinkat } from "../../../ffi/path-ops.ts";
import { STATX_TYPE } from "../../../ffi/statx.ts";
import { Tier } from "../../policy/rule.ts";
import { isContentVerdict, NO_RULE, tierOfVerdict } from "../../policy/verdict.ts";
import type { Operation } from "../../session/request.ts";
import { foldersUnder } from "../guarded-below.ts";
import { replacingVerdict, withoutContent } from "../git-content.ts";
import { isRestricting, stricter } from "../judge.ts";
import { isDots } from "../path-bytes.ts";
import type { Place } from "../place.ts";
import { readPath } from "../target-memory.ts";
import type { Deed, Supervision, Target } from "../supervision.ts";
import {
  lookAtName,
  makingDeviceFails,
  makingFails,
  removingFails,
  renamingFails,
  searchingFails,
} from "../would-fail.ts";

/** "." and ".." and "/": the kernel refuses whatever the policy says, and its errors differ by call. */
function isNoName(place: Place): boolean {
  return isDots(place.name, place.nameLength) || place.name[0] === 0x2f;
}

/** Finds the folder and the name; false if the call was answered. */
export function findName(s: Supervision, dirfd: number, pathArg: number, place: Place): boolean {
  const isFirst = place === s.first;
  const path = isFirst ? s.path : s.otherPath;
  const read = readPath(s.call, pathArg, path);
  const found = read < 0 ? read : s.lookup.parent(dirfd, path, place);
  if (found === 0) return true;
  const earlier = isFirst ? 0 : s.asCaller(() => searchingFails(s.first));
  if (earlier < 0) s.call.result(earlier);
  else if (read < 0) s.refuseUnread(read);
  else s.call.result(found);
  return false;
}

function performOnName(s: Supervision, operation: Operation, deed: Deed): void {
  if (isNoName(s.first)) return s.carryOut(deed);
  const isRemoval = deed.named === undefined;
  const found = s.nameVerdict(s.first, isRemoval);
  const verdict = isRemoval ? withoutContent(found) : found;
  s.perform("write", [{ operation, place: s.first, verdict }], deed);
}

export function mkdir(s: Supervision, dirfd: number, pathArg: number, modeArg: number): void {
  if (!findName(s, dirfd, pathArg, s.first)) return;
  const { parent, name } = s.first;
  performOnName(s, "make folder", {
    makes: true,
    named: s.first,
    wouldFail: () => makingFails(s.first, true),
    run: () => mkdirat(parent, name, s.call.low(modeArg)),
  });
}

export function mknod(s: Supervision, dirfd: number, pathArg: number, modeArg: number): void {
  if (!findName(s, dirfd, pathArg, s.first)) return;
  const { parent, name } = s.first;
  const mode = s.call.low(modeArg);
  const device = s.call.low(modeArg + 1);
  const deed: Deed = {
    makes: true,
    named: s.first,
    wouldFail: () => makingFails(s.first, false),
    run: () => mknodat(parent, name, mode, device),
  };
  const type = mode & S_IFMT;
  const isDevice = type === S_IFBLK || (type === S_IFCHR && device !== 0);
  if (!isDevice || isNoName(s.first)) return performOnName(s, "make node", deed);
  // A device file reaches its device from any folder: it is never free.
  const verdict = askedUnlessRuled(s.judge.writeName(s.first.real));
  const wouldFail = (): number => makingFails(s.first, false) || makingDeviceFails(s.call.tid);
  s.perform("write", [{ operation: "make node", place: s.first, verdict }], { ...deed, wouldFail });
}

function askedUnlessRuled(verdict: number): number {
  return tierOfVerdict(verdict) === Tier.implicit ? NO_RULE : verdict;
}

export function symlink(s: Supervision, dirfd: number, pathArg: number): void {
  if (!s.readPath(0, s.otherPath)) return;
  if (s.otherPath.length === 0) return s.call.fail(Errno.ENOENT);
  if (!findName(s, dirfd, pathArg, s.first)) return;
  const { parent, name, real } = s.first;
  const deed: Deed = {
    makes: true,
    redirects: true,
    named: s.first,
    wouldFail: () => makingFails(s.first, false),
    run: () => symlinkat(s.otherPath.bytes, parent, name),
  };
  if (isNoName(s.first)) return s.carryOut(deed);
  const named = s.nameVerdict(s.first, false);
  const verdict = stricter(named, restricting(s.judge.writeLink(real), named));
  s.perform("write", [{ operation: "symlink", place: s.first, verdict }], deed);
}

/** `found` where it forbids or asks, else `otherwise`. */
function restricting(found: number, otherwise: number): number {
  return found < 0 || isRestricting(found) ? found : otherwise;
}

export function unlink(s: Supervision, dirfd: number, pathArg: number, flags: number): void {
  if ((flags & ~AT_REMOVEDIR) !== 0) return s.call.fail(Errno.EINVAL);
  if (!findName(s, dirfd, pathArg, s.first)) return;
  const { parent, name } = s.first;
  const isFolder = (flags & AT_REMOVEDIR) !== 0;
  performOnName(s, isFolder ? "remove folder" : "delete", {
    removed: s.first,
    wouldFail: () => removingFails(s.first, isFolder),
    run: () => unlinkat(parent, name, flags),
  });
}

/** A hard link is another way to write the file: its source counts as written. */
export function link(
  s: Supervision,
  fromDirfd: number,
  from: number,
  toDirfd: number,
  to: number,
  flags: number,
): void {
  if ((flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH)) !== 0) return s.call.fail(Errno.EINVAL);
  if (!findSource(s, fromDirfd, from, flags)) return;
  if (!findName(s, toDirfd, to, s.second)) return;
  const deed: Deed = {
    redirects: true,
    named: s.second,
    wouldFail: () => sourceFails(s) || makingFails(s.second, false),
    run: () => linkSource(s),
  };
  if (isNoName(s.second) || (s.first.object < 0 && isNoName(s.first))) return s.carryOut(deed);
  const target: Target = { operation: "link", place: s.second, verdict: s.nameVerdict(s.second, false) };
  if (s.first.object >= 0 && s.first.isNameless && !isStored(s.first)) return s.perform("write", [target], deed);
  const source: Target = { operation: "link", place: s.first, verdict: s.writeVerdict(s.first) };
  // A file that nothing allows to write: as across file systems, where every program copies instead (docs/adr/0004).
  if (s.isUndecided(source) && s.isAllowed(target)) return s.decline(source, target, Errno.EXDEV, deed);
  s.perform("write", [source, target], deed);
}

/** An unnamed file still has a folder it was made in; pipes and memory files have none. */
function isStored(place: Place): boolean {
  return place.real.length > 0 && place.real.bytes[0] === 0x2f;
}

function findSource(s: Supervision, dirfd: number, pathArg: number, flags: number): boolean {
  if (!s.readPath(pathArg, s.path)) return false;
  const isEmpty = s.path.length === 0 && (flags & AT_EMPTY_PATH) !== 0;
  const found = isEmpty
    ? s.lookup.descriptor(dirfd, s.first)
    : (flags & AT_SYMLINK_FOLLOW) !== 0
      ? s.lookup.object(dirfd, s.path, true, s.first)
      : findSourceName(s, dirfd);
  if (found < 0) s.call.result(found);
  return found === 0;
}

/** The kernel looks the source up to its end before it turns to the new name. */
function findSourceName(s: Supervision, dirfd: number): number {
  // A slash behind the name asks for a folder, and follows a link to one.
  if (s.path.bytes[s.path.length - 1] === 0x2f) return s.lookup.object(dirfd, s.path, true, s.first);
  const found = s.lookup.parent(dirfd, s.path, s.first);
  if (found < 0) return found;
  const { parent, name, stat } = s.first;
  return s.asCaller(() => Math.min(statx(parent, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, stat.words), 0));
}

function sourceFails(s: Supervision): number {
  return s.first.object >= 0 ? 0 : lookAtName(s.first);
}

function linkSource(s: Supervision): number {
  const { first, second } = s;
  if (first.object < 0) return linkat(first.parent, first.name, second.parent, second.name, 0);
  return linkat(AT_FDCWD, s.lookup.own.of(first.object), second.parent, second.name, AT_SYMLINK_FOLLOW);
}

export function rename(
  s: Supervision,
  fromDirfd: number,
  fromArg: number,
  toDirfd: number,
  toArg: number,
  flags: number,
): void {
  if (!areRenameFlags(flags)) return s.call.fail(Errno.EINVAL);
  if (!findName(s, fromDirfd, fromArg, s.first) || !findName(s, toDirfd, toArg, s.second)) return;
  const { first, second } = s;
  const isExchange = (flags & RENAME_EXCHANGE) !== 0;
  const deed: Deed = {
    redirects: true,
    removed: first,
    named: second,
    wouldFail: () => renamingFails(first, second),
    run: () => {
      s.fence.moved(first.real);
      if (isExchange) s.fence.moved(second.real);
      return renameat2(first.parent, first.name, second.parent, second.name, flags);
    },
  };
  if (isNoName(first) || isNoName(second)) return s.carryOut(deed);
  const there = moved(s, first, second);
  const back = isExchange ? moved(s, second, first) : there;
  if (there === undefined || back === undefined) return s.handOver();
  const from = withoutContent(s.nameVerdict(first, true));
  const named = s.nameVerdict(second, lookAtName(second) === 0);
  const onto = replacingVerdict(first, second, named);
  // The fence must not let through what is compared here.
  if (isContentVerdict(named)) s.fence.guard(second.real);
  const taken = stricter(restricting(there, from), restricting(back, from));
  s.perform(
    "write",
    [
      { operation: isExchange ? "exchange" : "rename from", place: first, verdict: stricter(from, taken) },
      { operation: isExchange ? "exchange" : "rename to", place: second, verdict: onto },
    ],
    deed,
  );
}

function areRenameFlags(flags: number): boolean {
  if ((flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT)) !== 0) return false;
  return (flags & RENAME_EXCHANGE) === 0 || (flags & (RENAME_NOREPLACE | RENAME_WHITEOUT)) === 0;
}

/**
 * The strictest rule on what a name takes along: a folder's contents leave the old paths and come to the new ones, a
 * link makes a path lead elsewhere. undefined: too much to look through here.
 */
function moved(s: Supervision, from: Place, to: Place): number | undefined {
  const allowed = withoutContent(s.judge.writeName(to.real));
  if (lookAtName(from) < 0) return allowed;
  if (from.stat.type === S_IFLNK) return restricting(s.judge.writeLink(to.real), allowed);
  if (from.stat.type !== S_IFDIR) return allowed;
  return foldersUnder(s, from, to, allowed);
}
