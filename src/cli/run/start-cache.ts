/**
 * The rules that a session starts with, as they were worked out for the last one that was asked the same: half of a
 * short session's time would go into reading them anew. It holds only while everything that was looked at on the way
 * (links, the programs in $PATH) is as it was, and it lies where nothing in a sandbox can write.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { openDisk, type PlacedRule, type SettleContext } from "../../policy/index.ts";
import { built } from "../../tree.ts";
import { isSeenStill, RecordingDisk, type SeenFolder } from "./recording-disk.ts";

export interface StartRules {
  readonly rules: readonly PlacedRule[];
  readonly tables: Uint8Array;
}

interface Header {
  readonly key: string;
  readonly folders: readonly SeenFolder[];
  readonly rules: readonly PlacedRule[];
}

const LENGTH_BYTES = 4;

export class StartCache {
  private readonly file: string;
  private readonly key: string;
  private disk: RecordingDisk | undefined;

  /** `inputs`: everything that the rules are made of beside the disk; JSON. */
  constructor(
    private readonly folder: string,
    inputs: unknown,
  ) {
    this.key = JSON.stringify([programStamp(), inputs]);
    this.file = `${folder}/${Bun.hash(this.key).toString(16)}`;
  }

  /** What was kept, where it still holds. */
  load(): StartRules | undefined {
    const kept = this.read();
    if (!kept || kept.header.key !== this.key || !isSeenStill(kept.header.folders, openDisk())) return undefined;
    return { rules: kept.header.rules, tables: kept.tables };
  }

  private read(): { header: Header; tables: Uint8Array } | undefined {
    try {
      const bytes = readFileSync(this.file);
      const end = LENGTH_BYTES + bytes.readUInt32LE(0);
      const header = JSON.parse(bytes.toString("utf8", LENGTH_BYTES, end)) as Header;
      // The tables' words are read where they lie.
      return { header, tables: new Uint8Array(bytes.subarray(end)) };
    } catch {
      return undefined;
    }
  }

  /** The context to work the rules out with, so that it is known later what was looked at. */
  recording(context: SettleContext): SettleContext {
    this.disk = new RecordingDisk(context.disk);
    return { ...context, disk: this.disk };
  }

  /** The ones used longest ago go. */
  private prune(): void {
    const files = readdirSync(this.folder).map((name) => `${this.folder}/${name}`);
    if (files.length <= KEPT) return;
    const byAge = files.map((path) => ({ path, used: statSync(path).mtimeMs })).toSorted((a, b) => a.used - b.used);
    for (const { path } of byAge.slice(0, files.length - KEPT)) unlinkQuietly(path);
  }

  /** Keeps what was worked out; what cannot be kept is worked out again. */
  save({ rules, tables }: StartRules): void {
    const folders = this.disk?.seen(Date.now());
    if (!folders || rules.some((rule) => rule.expiresAt !== undefined)) return;
    const header = Buffer.from(JSON.stringify({ key: this.key, folders, rules } satisfies Header));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(header.length);
    const temporary = `${this.file}.${process.pid}`;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, Buffer.concat([length, header, tables]), { mode: 0o600, flag: "wx" });
      renameSync(temporary, this.file);
      this.prune();
    } catch {
      unlinkQuietly(temporary);
    }
  }
}

const KEPT = 64;

/** Which hallpass it is: other code may make other rules of the same words. */
function programStamp(): string {
  const { mtimeMs, size } = statSync(built("app/app.js"), { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
  return `${mtimeMs}:${size}`;
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made.
  }
}
