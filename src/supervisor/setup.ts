/** What a worker is told about its session when it starts; plain data that crosses threads. */
import type { Category } from "../policy/rule.ts";

/** A folder or file that the fence lets the target write, as the supervisor saw it when the fence was built. */
export interface FenceRootSetup {
  /** Path text. */
  readonly path: string;
  /** O_PATH descriptor of this process, or -1: found by its path. */
  readonly fd: number;
  readonly isFolder: boolean;
}

export interface SupervisorSetup {
  readonly listenerFd: number;
  /** Of PolicyChannel. */
  readonly policy: SharedArrayBuffer;
  readonly launcherPid: number;
  /** Path text of folders, for what a request says. */
  readonly project: string;
  readonly tmpdir: string;
  readonly home: string;
  readonly mediate: readonly Category[];
  /** The Landlock domain is in force. */
  readonly hasFence: boolean;
  readonly fenceRoots: readonly FenceRootSetup[];
  /** `deny`: nobody is there to ask; anything else asks through the main thread. */
  readonly prompt: "ask" | "deny";
  readonly logsImplicit: boolean;
  /** False with --no-implicit: nothing is writable that no rule allows. */
  readonly hasImplicit: boolean;
  /** The session's own terminal is writable. */
  readonly allowsTerminal: boolean;
  /** Something is mounted that may keep a call waiting for a server or a process. */
  readonly hasSlowMounts: boolean;
  /** N of /dev/pts/N that the session's own terminal is; -1: none. */
  readonly ptyNumber: number;
  /** What the workers of a session tell each other; of `makeShared`. */
  readonly shared: SharedArrayBuffer;
}

const LOCK = 0;
const FREE = 0;
const TAKEN = 1;
const WAITED_FOR = 2;
const ROOTS_MAY_DIFFER = 1;
const LOG_IS_BEHIND = 2;
const NEXT_SOCKET = 3;
const TURN = 4;
const SOCKETS = 5;
/** The youngest socket files of the sandbox, three words each: device, inode in halves. */
const MOST_SOCKETS = 4096;
const DEAD_ROOTS = SOCKETS + 3 * MOST_SOCKETS;

export function makeShared(fenceRoots: number): SharedArrayBuffer {
  return new SharedArrayBuffer(4 * (DEAD_ROOTS + fenceRoots));
}

/** Words that all workers see. */
export class Shared {
  private readonly words: Int32Array;
  readonly deadRoots: Int32Array;

  constructor(shared: SharedArrayBuffer) {
    this.words = new Int32Array(shared);
    this.deadRoots = this.words.subarray(DEAD_ROOTS);
  }

  get rootsMayDiffer(): boolean {
    return Atomics.load(this.words, ROOTS_MAY_DIFFER) !== 0;
  }
  set rootsMayDiffer(value: boolean) {
    Atomics.store(this.words, ROOTS_MAY_DIFFER, value ? 1 : 0);
  }

  /** The log cannot keep up with the decisions. */
  set logIsBehind(value: boolean) {
    Atomics.store(this.words, LOG_IS_BEHIND, value ? 1 : 0);
    Atomics.notify(this.words, LOG_IS_BEHIND);
  }

  /** A decision waits until the log can take it (SPEC §5). */
  awaitLog(): void {
    while (Atomics.load(this.words, LOG_IS_BEHIND) !== 0) Atomics.wait(this.words, LOG_IS_BEHIND, 1);
  }

  /** A socket file that a process of the sandbox has bound. */
  addSocket(dev: number, inoLow: number, inoHigh: number): void {
    const slot = (Atomics.add(this.words, NEXT_SOCKET, 1) >>> 0) % MOST_SOCKETS;
    this.words.set([dev, inoLow, inoHigh], SOCKETS + 3 * slot);
  }

  hasSocket(dev: number, inoLow: number, inoHigh: number): boolean {
    const { words } = this;
    for (let at = SOCKETS; at < DEAD_ROOTS; at += 3) {
      if (words[at + 1] === (inoLow | 0) && words[at] === (dev | 0) && words[at + 2] === (inoHigh | 0)) return true;
    }
    return false;
  }

  /** One worker at a time judges and acts: no call of the sandbox can change names between another's two steps. */
  lock(): void {
    if (Atomics.compareExchange(this.words, LOCK, FREE, TAKEN) === FREE) return;
    while (Atomics.exchange(this.words, LOCK, WAITED_FOR) !== FREE) Atomics.wait(this.words, LOCK, WAITED_FOR);
  }

  unlock(): void {
    if (Atomics.exchange(this.words, LOCK, FREE) === WAITED_FOR) Atomics.notify(this.words, LOCK, 1);
  }

  /** Moves on whenever a path may lead elsewhere than before: a link was made, a name moved. */
  get turn(): number {
    return Atomics.load(this.words, TURN);
  }

  nextTurn(): void {
    Atomics.add(this.words, TURN, 1);
  }
}
