/** Which unix sockets belong to the sandbox itself: connecting to those needs nobody's leave. */
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_RDONLY } from "../../ffi/constants.ts";
import { ascii, cstring } from "../../ffi/bytes.ts";
import { close, readFile } from "../../ffi/fd.ts";
import { openat, readlinkat } from "../../ffi/path-ops.ts";
import { STATX, type StatxBuffer } from "../../ffi/statx.ts";
import { entries } from "./folder-entries.ts";
import { FDS, ProcPath } from "./proc-path.ts";
import type { Shared } from "./setup.ts";

const MOST_BYTES = 4 << 20;
const LINK = 64;

export class OwnSockets {
  private readonly proc = new ProcPath();
  private readonly link = new Uint8Array(LINK);

  constructor(
    private readonly shared: Shared,
    private readonly insidePids: () => Iterable<number>,
  ) {}

  /** A socket file that a process of the sandbox has bound. */
  bound({ dev, words }: StatxBuffer): void {
    this.shared.addSocket(dev, words[STATX.inoLow]!, words[STATX.inoHigh]!);
  }

  hasFile({ dev, words }: StatxBuffer): boolean {
    return this.shared.hasSocket(dev, words[STATX.inoLow]!, words[STATX.inoHigh]!);
  }

  /**
   * Whether every socket of that abstract name is held by a process of the sandbox: in the caller's network and in ours,
   * for the socket that connects may have been made before the caller went into a network of its own.
   */
  hasAbstract(tid: number, name: Uint8Array): boolean {
    const named = `@${ascii(name)}`;
    const theirs = inodesOf(String(tid), named);
    const ours = inodesOf("self", named);
    if (!theirs || !ours || theirs.length === 0) return false;
    return [...theirs, ...ours].every((inode) => this.isHeld(`socket:[${inode}]`));
  }

  private isHeld(what: string): boolean {
    for (const pid of this.insidePids()) if (this.holds(pid, what)) return true;
    return false;
  }

  private holds(pid: number, what: string): boolean {
    const folder = openat(AT_FDCWD, this.proc.of(pid, FDS), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    try {
      for (const name of entries(folder)) {
        const length = readlinkat(folder, name, this.link);
        if (length > 0 && ascii(this.link, 0, length) === what) return true;
      }
      return false;
    } finally {
      close(folder);
    }
  }
}

/** Inodes of the bound sockets of a name, as /proc/TID/net/unix spells it (NULs as "@"); undefined: too many to look through. */
function inodesOf(process: string, name: string): string[] | undefined {
  const bytes = new Uint8Array(MOST_BYTES);
  const length = readFile(AT_FDCWD, cstring(`/proc/${process}/net/unix`), bytes);
  if (length === MOST_BYTES) return undefined;
  const wanted = name.replaceAll("\0", "@");
  const lines = ascii(bytes, 0, Math.max(length, 0)).split("\n");
  return lines.flatMap((line) => {
    const [, , , , , , inode, ...path] = line.trim().split(/ +/);
    return inode !== undefined && path.join(" ") === wanted && isListening(line) ? [inode] : [];
  });
}

/** Accepted connections carry their listener's name too; flags 00010000 or unconnected datagrams are what is reached. */
function isListening(line: string): boolean {
  return !/^[0-9a-f]+: [0-9A-F]+ [0-9A-F]+ [0-9A-F]+ [0-9A-F]+ 03 /.test(line);
}
