/** A client inside the session's own process (the bar, the full screen): the same actions and events, no socket. */
import type { Session } from "../session/session.ts";
import type { SessionConnection, SessionEvent } from "./messages.ts";

/** `label` is how this client's answers are shown to the others. */
export function connectInProcess(session: Session, label: string): SessionConnection {
  const listeners = new Set<(event: SessionEvent) => void>();
  const attached = session.attach(label, (event) => {
    for (const listener of listeners) listener(event);
  });
  return {
    send(action): void {
      if (action.type !== "hello") attached.act(action);
    },
    subscribe(listener): () => void {
      listener(session.welcome());
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close(): void {
      attached.detach();
      listeners.clear();
    },
  };
}
