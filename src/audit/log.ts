/**
 * The log of a session: lines are written in order and in the background, and none is lost. When the disk is slow the
 * session is told to wait; when it is full the session is told to deny what could not be written down.
 */
import { closeSync, constants, fstatSync, mkdirSync, openSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { HallpassError } from "../errors.ts";
import type { Decision } from "../control/messages.ts";
import { formatDecision } from "./line.ts";

export interface LogState {
  /** So much waits to be written that decisions have to wait too. */
  readonly isBehind: boolean;
  /** Nothing can be written until further notice: what would be logged is denied. In words, why. */
  readonly full: string | undefined;
}

const BEHIND_BYTES = 8 << 20;
const READY_BYTES = 1 << 20;
const PIECE_BYTES = 1 << 20;
const RETRY_AFTER = 500;

export class AuditLog {
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private isWriting = false;
  private current: LogState = { isBehind: false, full: undefined };
  private retry: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private idle: (() => void)[] = [];

  private constructor(
    readonly path: string,
    private readonly fd: number,
    private readonly tell: (state: LogState) => void,
  ) {}

  /** Opens or makes the file (0600), to be added to. `tell` hears of every change of the state. */
  static open(path: string, tell: (state: LogState) => void): AuditLog {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOCTTY;
    try {
      return new AuditLog(path, openSync(path, flags, 0o600), tell);
    } catch (error) {
      throw new HallpassError(
        `cannot write the log ${path}: ${(error as Error).message}; name another with --log=FILE`,
      );
    }
  }

  /** Which file it is, whatever its name becomes. */
  get identity(): { readonly dev: number; readonly ino: number } {
    const { dev, ino } = fstatSync(this.fd);
    return { dev, ino };
  }

  get state(): LogState {
    return this.current;
  }

  append(decision: Decision): void {
    const line = Buffer.from(`${formatDecision(decision)}\n`);
    this.waiting.push(line);
    this.waitingBytes += line.length;
    if (this.waitingBytes > BEHIND_BYTES) this.become({ isBehind: true });
    this.pump();
  }

  private pump(): void {
    if (this.isWriting || this.isClosed || this.retry || this.waiting.length === 0) return;
    this.isWriting = true;
    const piece = this.takePiece();
    write(this.fd, piece, 0, piece.length, null, (error, written) => this.wrote(piece, error, written));
  }

  private takePiece(): Buffer {
    const lines: Buffer[] = [];
    for (let bytes = 0; this.waiting.length > 0 && bytes < PIECE_BYTES;) {
      const line = this.waiting.shift()!;
      bytes += line.length;
      lines.push(line);
    }
    return lines.length === 1 ? lines[0]! : Buffer.concat(lines);
  }

  /** What was not written is written later from where it stopped, so that no line is ever cut or doubled. */
  private wrote(piece: Buffer, error: NodeJS.ErrnoException | null, written: number): void {
    this.isWriting = false;
    const done = error ? 0 : written;
    this.waitingBytes -= done;
    if (done < piece.length) this.waiting.unshift(piece.subarray(done));
    if (error) return this.hold(error);
    this.become({ full: undefined, isBehind: this.current.isBehind && this.waitingBytes > READY_BYTES });
    if (this.waiting.length > 0) this.pump();
    else for (const resolve of this.idle.splice(0)) resolve();
  }

  private hold(error: NodeJS.ErrnoException): void {
    this.become({
      full: `the log ${this.path} cannot be written (${reasonOf(error)}): what would be logged is denied`,
    });
    if (this.isClosed) return;
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.pump();
    }, RETRY_AFTER);
    this.retry.unref();
  }

  private become(change: Partial<LogState>): void {
    const next = { ...this.current, ...change };
    if (next.full === this.current.full && next.isBehind === this.current.isBehind) return;
    this.current = next;
    this.tell(next);
  }

  /** Waits until all is written, or until the disk refuses; then says how many lines were lost. */
  async close(): Promise<number> {
    await this.settled();
    this.isClosed = true;
    clearTimeout(this.retry);
    const lost = this.writeRest();
    closeSync(this.fd);
    return lost;
  }

  private settled(): Promise<void> {
    if (this.current.full !== undefined || (!this.isWriting && this.waiting.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private writeRest(): number {
    let rest = Buffer.concat(this.waiting);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.fd, rest));
    } catch {
      // Counted below.
    }
    return rest.filter((byte) => byte === 10).length;
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === "ENOSPC" || error.code === "EDQUOT" ? "no space left" : (error.code ?? error.message);
}

/** Where `--log` without a file goes. */
export function defaultLogPath(stateFolder: string, now: Date, pid: number): string {
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "");
  const path = `${stateFolder}/hallpass-${time}-${pid}.jsonl`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return path;
}
