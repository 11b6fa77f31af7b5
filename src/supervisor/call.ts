/** One paused call: who makes it, which it is, its arguments, and the one answer it gets. */
import { type Listener, NOTIF, NOTIF_BYTES } from "../../ffi/seccomp.ts";
import { O_CLOEXEC } from "../../ffi/constants.ts";
import { Errno } from "../../ffi/errno.ts";
import { archOf, isCompat, syscallName, type Arch } from "./syscalls/index.ts";

/** How an answer went: the caller got it, or is no longer there. */
export type Outcome = "sent" | "gone";

const WORD = 0x100000000;

/** Works on the listener's own buffer: one call at a time, nothing is allocated for it. */
export class Call {
  /** undefined while nobody answered. */
  outcome: Outcome | undefined;

  constructor(readonly listener: Listener) {}

  /** Makes a call that was received earlier the current one. */
  load(notification: Uint8Array): void {
    this.listener.bytes.set(notification);
    this.outcome = undefined;
  }

  /** Waits for the next call. */
  receive(): number {
    this.outcome = undefined;
    return this.listener.receive();
  }

  copy(): Uint8Array {
    return this.listener.bytes.slice(0, NOTIF_BYTES);
  }

  /** The calling thread, as a process of ours; 0 if it cannot be named in our pid namespace. */
  get tid(): number {
    return this.listener.words[NOTIF.pid]!;
  }
  get number(): number {
    return this.listener.words[NOTIF.nr]!;
  }
  get auditArch(): number {
    return this.listener.words[NOTIF.arch]!;
  }
  get arch(): Arch | undefined {
    return archOf(this.auditArch);
  }
  /** 32-bit pointers and structures. */
  get isCompat(): boolean {
    const { arch } = this;
    return arch !== undefined && isCompat(arch);
  }
  get name(): string {
    const { arch } = this;
    return (arch && syscallName(arch, this.number)) ?? `call ${this.number}`;
  }
  /** The kernel's cookie, as the main thread names a call. */
  get id(): string {
    return idOf(this.listener.words);
  }

  /** The low half of an argument; all there is of an int. */
  low(index: number): number {
    return this.listener.words[NOTIF.args + 2 * index]!;
  }
  /** The high half; none in a 32-bit call. */
  high(index: number): number {
    return this.isCompat ? 0 : this.listener.words[NOTIF.args + 2 * index + 1]!;
  }
  /** An int, whatever rubbish lies in the upper half. */
  int(index: number): number {
    return this.listener.words[NOTIF.args + 2 * index]! | 0;
  }
  isNull(index: number): boolean {
    return this.low(index) === 0 && this.high(index) === 0;
  }
  /** A size or an offset as a number; exact below 2^53. */
  size(index: number): number {
    return this.high(index) * WORD + this.low(index);
  }

  /** False if the caller is gone: what was read of it may have been another process's. */
  get isValid(): boolean {
    const { words } = this.listener;
    return this.listener.idValid(words[NOTIF.idLow]!, words[NOTIF.idHigh]!) === 0;
  }

  continue(): void {
    const { words } = this.listener;
    this.took(this.listener.sendContinue(words[NOTIF.idLow]!, words[NOTIF.idHigh]!));
  }

  /** `errno` positive. */
  fail(errno: number): void {
    const { words } = this.listener;
    this.took(this.listener.sendError(words[NOTIF.idLow]!, words[NOTIF.idHigh]!, errno));
  }

  /** A value, or -errno, as the kernel gave it to us. */
  result(result: number): void {
    const { words } = this.listener;
    this.took(this.listener.sendResult(words[NOTIF.idLow]!, words[NOTIF.idHigh]!, result));
  }

  /** Hands the caller a copy of `fd`; `fd` stays ours. A caller at its limit gets EMFILE as from the kernel. */
  giveFd(fd: number, isCloexec: boolean): void {
    const { words } = this.listener;
    const low = words[NOTIF.idLow]!;
    const high = words[NOTIF.idHigh]!;
    const flags = isCloexec ? O_CLOEXEC : 0;
    const given = this.listener.addfdSend(low, high, fd, flags);
    if (given === -Errno.EINVAL) this.giveFdInTwo(fd, flags);
    else if (given < 0 && given !== -Errno.ENOENT && given !== -Errno.EINPROGRESS) this.fail(-given);
    else this.outcome = given < 0 ? "gone" : "sent";
  }

  /** Linux 5.9 to 5.13: the number first, the answer after. */
  private giveFdInTwo(fd: number, flags: number): void {
    const { words } = this.listener;
    const number = this.listener.addfd(words[NOTIF.idLow]!, words[NOTIF.idHigh]!, fd, flags);
    this.result(number);
  }

  /** Somebody else answers later. */
  leave(): void {
    this.outcome = "sent";
  }

  private took(result: number): void {
    this.outcome = result < 0 ? "gone" : "sent";
  }
}

/** The cookie in decimal, of a notification's words. */
export function idOf(words: Uint32Array): string {
  return ((BigInt(words[NOTIF.idHigh]!) << 32n) | BigInt(words[NOTIF.idLow]!)).toString();
}
