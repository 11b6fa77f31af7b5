/** The query of a request in advance (SPEC §6) to what the session is asked: read, and its target looked at. */
import { statSync } from "node:fs";
import {
  type Category,
  decodePath,
  encodePath,
  escapeGlob,
  follow,
  literalPath,
  openDisk,
  parseDuration,
  type Rule,
  settle,
  type SettleContext,
} from "../../policy/index.ts";
import { formatDest, parseDest } from "../../policy/dest.ts";
import { type Advance, Reply } from "../../session/advance-reply.ts";
import type { PendingCall } from "../../session/request.ts";

export interface ReadAdvance {
  readonly advance: Advance;
  /** As a request shows it. */
  readonly call: Pick<PendingCall, "category" | "operation" | "target">;
}

const REASON_MOST = 1000;
const KEYS = new Set(["do", "op", "target", "for", "reason"]);
const ACTIONS = ["ask", "check", "release"] as const;

/** Or the errno that says what is wrong with it. */
export function readAdvance(
  query: string,
  mediate: ReadonlySet<Category>,
  context: SettleContext,
): ReadAdvance | number {
  const fields = readFields(query);
  const action = ACTIONS.find((one) => one === fields?.get("do"));
  const category = (["write", "exec", "connect"] as const).find((one) => one === fields?.get("op"));
  const target = fields?.get("target");
  if (!fields || !action || !category || !target) return Reply.malformed;
  if (!mediate.has(category)) return Reply.notMediated;
  const duration = fields.has("for") ? parseDuration(fields.get("for") ?? "") : undefined;
  const reason = fields.get("reason");
  if ((fields.has("for") && duration === undefined) || (reason?.length ?? 0) > REASON_MOST) return Reply.malformed;
  const found = lookAt(category, target, context);
  if (!found) return Reply.malformed;
  return {
    advance: {
      action,
      category,
      target: found.target,
      ...(duration === undefined ? {} : { duration }),
      ...(reason === undefined ? {} : { reason }),
    },
    call: { category, operation: category === "exec" ? "run" : category, target: found.shown },
  };
}

/** Percent-encoded bytes as path text; undefined where a key is unknown, comes twice or is cut. */
function readFields(query: string): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (const piece of query.split("&")) {
    const at = piece.indexOf("=");
    const key = piece.slice(0, Math.max(0, at));
    const value = decodePercent(piece.slice(at + 1));
    if (!KEYS.has(key) || fields.has(key) || value === undefined) return undefined;
    fields.set(key, value);
  }
  return fields;
}

function decodePercent(text: string): string | undefined {
  const bytes: number[] = [];
  const raw = encodePath(text);
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] !== 0x25) {
      bytes.push(raw[at]!);
      continue;
    }
    const hex = String.fromCharCode(raw[at + 1] ?? 0, raw[at + 2] ?? 0);
    if (!/^[0-9a-f]{2}$/i.test(hex) || hex === "00") return undefined;
    bytes.push(Number.parseInt(hex, 16));
    at += 2;
  }
  return decodePath(Uint8Array.from(bytes));
}

interface Found {
  /** A rule TARGET. */
  readonly target: string;
  readonly shown: string;
}

function lookAt(category: Category, target: string, context: SettleContext): Found | undefined {
  if (category === "connect") return lookAtDest(target);
  return category === "exec" ? lookAtProgram(target, context) : lookAtPath(target);
}

/** Addresses only: `all` would be a policy, not a request. */
function lookAtDest(target: string): Found | undefined {
  try {
    const dest = parseDest(target, (path) => path);
    if (dest.kind === "all") return undefined;
    return { target: formatDest(dest), shown: formatDest(dest) };
  } catch {
    return undefined;
  }
}

function lookAtProgram(target: string, context: SettleContext): Found | undefined {
  if (target.startsWith("@")) return undefined;
  if (target.startsWith("/")) return lookAtPath(target, false);
  if (target.includes("/")) return undefined;
  const rule: Rule = { action: "allow", category: "exec", target };
  const named = settle(rule, context).patterns?.[0];
  const path = named === undefined ? undefined : literalPath(named);
  return path === undefined ? undefined : { target: escapeGlob(path), shown: path };
}

/** A file, or a folder with all below it; a folder that is there is always the latter, for so a rule would read it. */
function lookAtPath(target: string, mayBeFolder = true): Found | undefined {
  if (!target.startsWith("/")) return undefined;
  const isTree = mayBeFolder && target.endsWith("/**");
  const named = literalPath(isTree ? target.slice(0, -3) || "/" : target);
  if (named === undefined) return undefined;
  const { path } = follow(named, openDisk());
  if (!isTree && !(mayBeFolder && isFolder(path))) return { target: escapeGlob(path), shown: path };
  const below = path === "/" ? "/**" : `${path}/**`;
  return { target: path === "/" ? "/**" : `${escapeGlob(path)}/**`, shown: below };
}

function isFolder(path: string): boolean {
  try {
    return statSync(Buffer.from(encodePath(path))).isDirectory();
  } catch {
    return false;
  }
}
