/** Where a path of a call leads: held descriptors, so that what was judged is what is acted on, and the real path. */
import { close } from "../../ffi/fd.ts";
import { StatxBuffer } from "../../ffi/statx.ts";
import { PATH_MAX, PathBytes } from "./path-bytes.ts";

/** Bytes of a name with a slash behind it and a NUL. */
const NAME_CAPACITY = PATH_MAX + 2;

export class Place {
  /** O_PATH descriptor of the folder in which `name` is; -1: none. */
  parent = -1;
  /** The last name, a slash behind it where the caller wrote one, and NUL. */
  readonly name = new Uint8Array(NAME_CAPACITY);
  /** Without that slash. */
  nameLength = 0;
  hasSlashBehind = false;
  /** O_PATH descriptor of the object itself; -1: none. */
  object = -1;
  /** Real path of the object, or of the folder and the name. */
  readonly real = new PathBytes();
  /** The object has no name (any more): an O_TMPFILE, a pipe, a file that was unlinked. */
  isNameless = false;
  /** In a mount namespace of the caller's own, on memory that is mounted nowhere else. */
  isPrivate = false;
  /** The caller's path means the same to us as to it. */
  isOurPath = true;
  /** The descriptor that the object was reached through (/proc/PID/fd/N), where that was the last step. */
  via: { readonly pid: number; readonly fd: number } | undefined;
  /** A program that the kernel runs by itself, with no interpreter of binfmt_misc. */
  isNative = false;
  /** What `name` or the object is, where a handler looked. */
  readonly stat = new StatxBuffer();

  setName(from: Uint8Array, start: number, length: number, hasSlashBehind: boolean): void {
    for (let index = 0; index < length; index++) this.name[index] = from[start + index]!;
    this.nameLength = length;
    this.hasSlashBehind = hasSlashBehind;
    this.name[length] = hasSlashBehind ? 0x2f : 0;
    this.name[length + 1] = 0;
  }

  close(): void {
    if (this.parent >= 0) close(this.parent);
    if (this.object >= 0) close(this.object);
    this.parent = -1;
    this.object = -1;
    this.isNameless = false;
    this.via = undefined;
    this.isOurPath = true;
    this.isPrivate = false;
    this.nameLength = 0;
  }
}
