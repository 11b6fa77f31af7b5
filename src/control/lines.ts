/** JSON lines: one object a line, UTF-8, with a limit on what a line may be. */

/** A peer sent a longer line than it may. */
export class LineTooLong extends Error {
  override readonly name = "LineTooLong";
}

const NEWLINE = 10;

/** Cuts a byte stream into lines. */
export class LineReader {
  private readonly pieces: Uint8Array[] = [];
  private held = 0;

  constructor(private readonly limit: number) {}

  /** The lines that `chunk` completes; throws LineTooLong. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.hold(chunk.subarray(start, end));
      lines.push(this.take());
      start = end + 1;
    }
    this.hold(chunk.subarray(start));
    return lines;
  }

  private hold(piece: Uint8Array): void {
    this.held += piece.length;
    if (this.held > this.limit) throw new LineTooLong(`a line is longer than ${this.limit} bytes`);
    if (piece.length > 0) this.pieces.push(piece.slice());
  }

  private take(): string {
    const line = Buffer.concat(this.pieces).toString("utf8");
    this.pieces.length = 0;
    this.held = 0;
    return line;
  }
}

export function encodeLine(message: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(message)}\n`);
}

/** What a line holds; undefined where it is no JSON. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
