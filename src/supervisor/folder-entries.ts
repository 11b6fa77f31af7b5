/** The names in a folder, straight from the kernel. */
import { getdents } from "../../ffi/fd.ts";

/** Names in an open folder, "." and ".." left out, each with its NUL. */
export function* entries(fd: number): Generator<Uint8Array> {
  for (const { name } of typedEntries(fd)) yield name;
}

/** With the DT_ type; some file systems say 0, unknown. */
export function* typedEntries(fd: number): Generator<{ readonly name: Uint8Array; readonly type: number }> {
  const buffer = new Uint8Array(8192);
  for (;;) {
    const length = getdents(fd, buffer);
    if (length <= 0) return;
    for (let at = 0; at < length;) {
      const size = buffer[at + 16]! | (buffer[at + 17]! << 8);
      const end = buffer.indexOf(0, at + 19);
      const name = buffer.slice(at + 19, end + 1);
      const type = buffer[at + 18]!;
      at += size;
      if (name.length === 2 && name[0] === 0x2e) continue;
      if (name.length === 3 && name[0] === 0x2e && name[1] === 0x2e) continue;
      yield { name, type };
    }
  }
}
