/**
 * Paths that were found to lead, by no link, to something below a fence's root a moment ago. While no name moves and no
 * link is made in the sandbox they still do; whoever else changes them meets the fence, which says EACCES.
 */
import type { PathBytes } from "./path-bytes.ts";

const SLOTS = 512;
const LONGEST = 512;
/** Milliseconds after which somebody outside may have changed the path. */
const FRESH = 1000;
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

interface Seen {
  readonly bytes: Uint8Array;
  length: number;
  turn: number;
  at: number;
}

export class SeenPaths {
  private readonly slots: (Seen | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

  /** `turn`: of the shared words. */
  has(path: PathBytes, turn: number): boolean {
    const seen = this.slots[slotOf(path)];
    if (seen === undefined || seen.turn !== turn || seen.length !== path.length) return false;
    for (let index = 0; index < seen.length; index++) if (seen.bytes[index] !== path.bytes[index]) return false;
    return performance.now() - seen.at < FRESH;
  }

  add(path: PathBytes, turn: number): void {
    if (path.length > LONGEST) return;
    const slot = slotOf(path);
    const seen = (this.slots[slot] ??= { bytes: new Uint8Array(LONGEST), length: 0, turn: 0, at: 0 });
    for (let index = 0; index < path.length; index++) seen.bytes[index] = path.bytes[index]!;
    seen.length = path.length;
    seen.turn = turn;
    seen.at = performance.now();
  }

  clear(): void {
    this.slots.fill(undefined);
  }
}

function slotOf({ bytes, length }: PathBytes): number {
  let sum = SEED;
  for (let at = 0; at < length; at++) sum = Math.imul(sum ^ bytes[at]!, PRIME);
  return (sum >>> 0) % SLOTS;
}
