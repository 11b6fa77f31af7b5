/** Signals that reach hallpass are the program's: they are passed on, and only the end of the session is remembered. */
import { Signal } from "../../../ffi/signal.ts";

const PASSED_ON = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR1", "SIGUSR2"] as const;

export class SignalRelay {
  /** Somebody wants the session to end: what the program leaves behind ends with it. */
  wantsEnd = false;
  private readonly handlers = new Map<NodeJS.Signals, () => void>();

  /** `ignored`: bits of the signals that were ignored when hallpass was started, as under nohup; they stay ignored. */
  constructor(passOn: (signal: number) => void, ignored: bigint) {
    for (const name of PASSED_ON) {
      const number = Signal[name];
      if (((ignored >> BigInt(number - 1)) & 1n) === 1n) continue;
      const handler = (): void => {
        if (name === "SIGTERM") this.wantsEnd = true;
        passOn(number);
      };
      this.handlers.set(name, handler);
      process.on(name, handler);
    }
  }

  stop(): void {
    for (const [name, handler] of this.handlers) process.off(name, handler);
  }
}
