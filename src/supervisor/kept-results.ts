/**
 * Results that reached nobody: without WAIT_KILLABLE_RECV a signal takes the caller away while its call is carried out,
 * and the same call comes again. The second time it gets what the first one did.
 */
import { close } from "../../ffi/fd.ts";
import { NOTIF, NOTIF_WORDS } from "../../ffi/seccomp.ts";
import type { Call } from "./call.ts";

const MOST = 64;

interface Kept {
  /** Number, arch, place in the program, arguments. */
  readonly words: Uint32Array;
  readonly result: number;
  /** A descriptor to be handed over, or -1. */
  readonly fd: number;
  readonly isCloexec: boolean;
}

export class KeptResults {
  private readonly byThread = new Map<number, Kept>();

  keep(call: Call, result: number): void {
    this.put(call, { words: wordsOf(call), result, fd: -1, isCloexec: false });
  }

  /** Takes `fd` over. */
  keepFd(call: Call, fd: number, isCloexec: boolean): void {
    this.put(call, { words: wordsOf(call), result: 0, fd, isCloexec });
  }

  /** True if the call was answered with what the same call of this thread had come to. */
  answer(call: Call): boolean {
    if (this.byThread.size === 0) return false;
    const kept = this.byThread.get(call.tid);
    if (!kept) return false;
    const isSame = kept.words.every((word, index) => word === call.listener.words[NOTIF.nr + index]);
    if (isSame && kept.fd >= 0) call.giveFd(kept.fd, kept.isCloexec);
    else if (isSame) call.result(kept.result);
    if (!isSame || call.outcome === "sent") this.drop(call.tid, kept);
    return isSame;
  }

  private put(call: Call, kept: Kept): void {
    const before = this.byThread.get(call.tid);
    if (before) this.drop(call.tid, before);
    this.byThread.set(call.tid, kept);
    for (const [tid, oldest] of this.byThread) {
      if (this.byThread.size <= MOST) return;
      this.drop(tid, oldest);
    }
  }

  private drop(tid: number, kept: Kept): void {
    this.byThread.delete(tid);
    if (kept.fd >= 0) close(kept.fd);
  }
}

function wordsOf(call: Call): Uint32Array {
  return call.listener.words.slice(NOTIF.nr, NOTIF_WORDS);
}
