/** Where requests of this run are answered, and what the user is told about it. */
import { HallpassError } from "../../errors.ts";
import type { PromptMode } from "../../session/state.ts";

export interface PromptPlace {
  readonly hasTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
}

export interface Prompt {
  /** What the session does. */
  readonly mode: PromptMode;
  /** Lines for stderr. */
  readonly say: readonly string[];
}

const NOT_BUILT = new Set<PromptMode>(["desktop", "web"]);

export function choosePrompt(wanted: PromptMode | undefined, place: PromptPlace): Prompt {
  const how = `answer its requests with: hallpass answer ${place.pid}`;
  if (wanted === "terminal" && !place.hasTerminal) {
    throw new HallpassError("--prompt=terminal: there is no terminal here; use --prompt=answer, or deny");
  }
  if (wanted !== undefined && !NOT_BUILT.has(wanted)) return { mode: wanted, say: wanted === "answer" ? [how] : [] };
  if (wanted !== undefined) return { mode: "answer", say: [`--prompt=${wanted} is not built yet; ${how}`] };
  return place.hasTerminal ? { mode: "terminal", say: [] } : { mode: "answer", say: [how] };
}
