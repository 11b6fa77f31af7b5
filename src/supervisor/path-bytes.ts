/** A path as bytes in a buffer that is filled again and again; a NUL follows the last byte. */
import { decodePath } from "../policy/path-text.ts";

const SLASH = 0x2f;
const DOT = 0x2e;

/** PATH_MAX: what a caller may hand to the kernel, its NUL included. */
export const PATH_MAX = 4096;
/** Real paths may be longer than PATH_MAX: a working directory can be deep. */
const CAPACITY = 4 * PATH_MAX;

export class PathBytes {
  readonly bytes = new Uint8Array(CAPACITY);
  length = 0;

  get isAbsolute(): boolean {
    return this.length > 0 && this.bytes[0] === SLASH;
  }

  /** As path text; allocates, for messages only. */
  text(): string {
    return decodePath(this.bytes.subarray(0, this.length));
  }

  set(from: Uint8Array, length: number): void {
    this.length = 0;
    this.append(from, length);
  }

  /** False if it does not fit; the path is then cut nowhere but left as it was. */
  append(from: Uint8Array, length: number): boolean {
    if (this.length + length >= CAPACITY) return false;
    for (let index = 0; index < length; index++) this.bytes[this.length + index] = from[index]!;
    this.end(this.length + length);
    return true;
  }

  /** Adds a slash, unless there is one, and the name. */
  appendName(name: Uint8Array, length: number): boolean {
    if (this.length + length + 1 >= CAPACITY) return false;
    if (this.length === 0 || this.bytes[this.length - 1] !== SLASH) this.bytes[this.length++] = SLASH;
    return this.append(name, length);
  }

  end(length: number): void {
    this.length = length;
    this.bytes[length] = 0;
  }

  endsWith(suffix: Uint8Array): boolean {
    const start = this.length - suffix.length;
    if (start < 0) return false;
    for (let index = 0; index < suffix.length; index++) if (this.bytes[start + index] !== suffix[index]) return false;
    return true;
  }

  startsWith(prefix: Uint8Array): boolean {
    if (prefix.length > this.length) return false;
    for (let index = 0; index < prefix.length; index++) if (this.bytes[index] !== prefix[index]) return false;
    return true;
  }
}

/** Where the last name of a path lies: what is before it, and how long it is without the slashes behind it. */
export interface Split {
  /** Bytes before the name, its slash included; 0 for a bare name. */
  start: number;
  length: number;
  hasSlashBehind: boolean;
}

/** Fills `into`; a path of slashes alone has an empty last name. */
export function splitLast(path: PathBytes, into: Split): void {
  let end = path.length;
  while (end > 0 && path.bytes[end - 1] === SLASH) end--;
  let start = end;
  while (start > 0 && path.bytes[start - 1] !== SLASH) start--;
  into.start = start;
  into.length = end - start;
  into.hasSlashBehind = end < path.length;
}

/** "." and "..", which name no entry of their own. */
export function isDots(name: Uint8Array, length: number): boolean {
  return (length === 1 && name[0] === DOT) || (length === 2 && name[0] === DOT && name[1] === DOT);
}
