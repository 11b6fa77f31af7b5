/**
 * Acts as the caller would: its file-system ids, groups, capabilities and umask, on this thread alone. For an ordinary
 * user nothing but the umask can differ; root's programs may have become somebody else.
 */
import { AT_FDCWD, CLONE_FS } from "../../ffi/constants.ts";
import { capset, setfsgid, setfsuid, setgroups, umask, unshare } from "../../ffi/creds.ts";
import { Errno, must } from "../../ffi/errno.ts";
import { statx } from "../../ffi/path-ops.ts";
import { gettid } from "../../ffi/signal.ts";
import { STATX_INO, StatxBuffer } from "../../ffi/statx.ts";
import { HallpassBug } from "../errors.ts";
import { ProcPath, USER_NAMESPACE } from "./proc-path.ts";
import { type Credentials, readStatus, type Status } from "./process-status.ts";
import type { Tasks } from "./tasks.ts";

export class Disguise {
  private readonly own: Credentials;
  private readonly ownSets = new Uint32Array(6);
  private readonly sets = new Uint32Array(6);
  private readonly proc = new ProcPath();
  private readonly stat = new StatxBuffer();
  private readonly ownNamespace: number;
  private mask: number;
  private isWorn = false;
  /** Of the caller at hand, once it was read. */
  private status: Status | undefined;
  private theirs: Credentials | undefined;
  readonly isRoot: boolean;

  /** To be made on the thread that acts; from then on its umask and working directory are its own. */
  constructor(private readonly tasks: Tasks) {
    must(unshare(CLONE_FS), "unshare(CLONE_FS)");
    const status = readStatus(gettid());
    if (!status) throw new HallpassBug("this thread has no /proc entry");
    this.own = status.credentials;
    this.mask = status.umask;
    this.isRoot = this.own.fsuid === 0 || this.own.capsLow !== 0 || this.own.capsHigh !== 0;
    this.ownNamespace = this.namespaceOf(gettid());
    const caps = status.capabilitySets;
    this.ownSets.set([this.own.capsLow, caps.permittedLow, caps.inheritableLow]);
    this.ownSets.set([this.own.capsHigh, caps.permittedHigh, caps.inheritableHigh], 3);
  }

  /** To be called when a call is done with: the next caller is somebody else. */
  forget(): void {
    this.takeOff();
    this.status = undefined;
    this.theirs = undefined;
  }

  /**
   * 0, or -errno. `makes`: something comes to exist, so the umask counts. The caller's status, where it had to be read,
   * goes to `seen`.
   */
  wear(tid: number, makes: boolean, seen?: (status: Status) => number): number {
    if (!makes && !this.isRoot && !seen) return 0;
    const status = this.statusOf(tid);
    if (!status) return -Errno.ESRCH;
    const checked = seen ? seen(status) : 0;
    if (checked < 0) return checked;
    if (makes) this.setMask(status.umask);
    return this.isRoot ? this.become(tid) : 0;
  }

  /** Makes one step of a look-up with the caller's rights to search folders; a result as the kernel's. */
  search(tid: number, step: () => number): number {
    if (!this.isRoot || this.isWorn) return step();
    const worn = this.wear(tid, false);
    if (worn < 0) return worn;
    try {
      return step();
    } finally {
      this.takeOff();
    }
  }

  /** Whether the caller is somebody else than this thread: not only in what it may do to files. */
  differs(tid: number): boolean {
    if (!this.isRoot) return false;
    const theirs = this.credentialsOf(tid);
    return !theirs || !isSame(theirs, this.own) || this.namespaceOf(tid) !== this.ownNamespace;
  }

  takeOff(): void {
    if (!this.isWorn) return;
    this.isWorn = false;
    const { own } = this;
    // First the right to change ids back, which setfsuid took away.
    capset(this.ownSets);
    const isBack = setfsuid(own.fsuid) && setfsgid(own.fsgid);
    const groups = setgroups(Uint32Array.from(own.groups));
    if (!isBack || groups < 0 || capset(this.ownSets) < 0) {
      throw new HallpassBug("this thread could not get its own credentials back");
    }
  }

  private setMask(mask: number): void {
    if (mask === this.mask) return;
    umask(mask);
    this.mask = mask;
  }

  private statusOf(tid: number): Status | undefined {
    return (this.status ??= this.tasks.status(tid));
  }

  /** Capabilities in another user namespace are none here. */
  private credentialsOf(tid: number): Credentials | undefined {
    if (this.theirs) return this.theirs;
    const credentials = this.statusOf(tid)?.credentials;
    if (!credentials) return undefined;
    const isElsewhere = this.namespaceOf(tid) !== this.ownNamespace;
    return (this.theirs = isElsewhere ? { ...credentials, capsLow: 0, capsHigh: 0 } : credentials);
  }

  private become(tid: number): number {
    const theirs = this.credentialsOf(tid);
    if (!theirs) return -Errno.ESRCH;
    if (isSame(theirs, this.own)) return 0;
    this.isWorn = true;
    if (setgroups(Uint32Array.from(theirs.groups)) < 0) return this.giveUp();
    if (!setfsgid(theirs.fsgid) || !setfsuid(theirs.fsuid)) return this.giveUp();
    this.sets.set(this.ownSets);
    this.sets[0] = theirs.capsLow & this.ownSets[1]!;
    this.sets[3] = theirs.capsHigh & this.ownSets[4]!;
    return capset(this.sets) < 0 ? this.giveUp() : 0;
  }

  private giveUp(): number {
    this.takeOff();
    return -Errno.EPERM;
  }

  private namespaceOf(pid: number): number {
    return statx(AT_FDCWD, this.proc.of(pid, USER_NAMESPACE), 0, STATX_INO, this.stat.words) < 0 ? -1 : this.stat.ino;
  }
}

function isSame(one: Credentials, other: Credentials): boolean {
  return (
    one.fsuid === other.fsuid &&
    one.fsgid === other.fsgid &&
    one.capsLow === other.capsLow &&
    one.capsHigh === other.capsHigh &&
    one.groups.length === other.groups.length &&
    one.groups.every((group, index) => group === other.groups[index])
  );
}
