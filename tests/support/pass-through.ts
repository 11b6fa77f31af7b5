/** Random data through a program's standard streams, and what came out of it, as digests. */
import { randomFillSync } from "node:crypto";

export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes `mebibytes` of random data to `command` and reads what it writes, both at once. */
export async function passThrough(
  command: readonly string[],
  cwd: string,
  mebibytes: number,
): Promise<{ into: Digest; outOf: Digest }> {
  const child = Bun.spawn([...command], { cwd, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const [into, outOf] = await Promise.all([feed(child.stdin, mebibytes), drain(child.stdout)]);
  return { into, outOf };
}

async function feed(stdin: Bun.FileSink, mebibytes: number): Promise<Digest> {
  const hash = new Bun.CryptoHasher("sha256");
  const piece = new Uint8Array(1 << 20);
  for (let n = 0; n < mebibytes; n++) {
    randomFillSync(piece);
    hash.update(piece);
    void stdin.write(piece);
    await stdin.flush();
  }
  await stdin.end();
  return { bytes: mebibytes << 20, sha256: hash.digest("hex") };
}

async function drain(stdout: ReadableStream<Uint8Array>): Promise<Digest> {
  const hash = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const piece of stdout) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
