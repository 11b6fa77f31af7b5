/** Sending with an address, where the network is mediated. */
import type { Supervision } from "../supervision.ts";

export function send(s: Supervision): void {
  s.call.continue();
}
