/** From a call to its handler. The one place where something that went wrong becomes a denial and an event. */
import { Errno } from "../../ffi/errno.ts";
import { HANDLERS, type Handler } from "./handlers/table.ts";
import { TooSlow } from "./slow-mounts.ts";
import type { Supervision } from "./supervision.ts";
import { AUDIT_ARCH, MACHINE_ARCHES, SYSCALLS } from "./syscalls/index.ts";

/** By audit arch, then by number. */
const TABLES = new Map(MACHINE_ARCHES.map((arch) => [AUDIT_ARCH[arch], tableOf(SYSCALLS[arch])]));

function tableOf(numbers: Readonly<Record<string, number>>): readonly (Handler | undefined)[] {
  const table: (Handler | undefined)[] = [];
  for (const [name, number] of Object.entries(numbers)) table[number] = HANDLERS[name];
  return table;
}

/** Decides the current call. Afterwards it is answered, waits for a person, or its caller is gone. */
export function dispatch(s: Supervision): void {
  try {
    const handler = TABLES.get(s.call.auditArch)?.[s.call.number];
    // A caller that has no number here cannot be looked at; a call without a handler is one that nobody thought of.
    if (s.call.tid === 0 || !handler) return deny(s, "not known");
    handler(s);
    if (s.call.outcome === undefined) deny(s, "left unanswered");
  } catch (error) {
    if (error instanceof TooSlow) return s.leaveForLater();
    deny(s, error instanceof Error ? error.message : String(error));
  } finally {
    s.reset();
  }
}

function deny(s: Supervision, what: string): void {
  if (s.call.outcome === undefined) s.call.fail(Errno.EACCES);
  s.report({ decision: "deny", reason: "error", op: what });
}
