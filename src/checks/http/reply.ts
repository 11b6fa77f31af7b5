/** An answer of a vendor's API, and how its JSON is read (CHECKS §1.10). */
import { isInteger, isSafeNumber, parse as parseLossless } from "lossless-json";
import type { z } from "zod";
import { stop } from "../codes.ts";

export class Reply {
  constructor(
    readonly status: number,
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>,
    readonly body: Buffer,
  ) {}

  /** The body read by `schema` (shared/fields.ts). Throws `upstream_error` for what is no JSON or of another type. */
  json<S extends z.ZodType>(schema: S): z.output<S> {
    const result = schema.safeParse(readJson(this.body) ?? undefined);
    if (!result.success) throw unreadable();
    return result.data;
  }

  /** As `json`, but undefined where the body cannot be read: for error bodies, of which only tokens are looked at. */
  peek<S extends z.ZodType>(schema: S): z.output<S> | undefined {
    try {
      return this.json(schema);
    } catch {
      return undefined;
    }
  }

  text(): string {
    return this.body.toString("utf8");
  }
}

export function unreadable(): Error {
  return stop("upstream_error", "the system's answer could not be read");
}

/** What JSON.parse would bend: integers past 2⁵³, numbers past the largest. */
const NEEDS_CARE = /\d{16}|[eE]\+?\d{3}/;

/** JSON with integers of any size (bigint past 2⁵³). Throws `upstream_error`; NaN, Infinity and invalid UTF-8 are refused. */
export function readJson(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    if (NEEDS_CARE.test(text)) return parseLossless(text, undefined, { parseNumber: readNumber });
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadable();
  }
}

function readNumber(text: string): number | bigint {
  if (isInteger(text) && !isSafeNumber(text)) return BigInt(text);
  const value = Number(text);
  if (!Number.isFinite(value)) throw unreadable();
  return value;
}
