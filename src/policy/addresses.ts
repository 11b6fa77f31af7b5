/** ipaddr.js, loaded when the first address is read: few sessions have rules on addresses, and all have a start. */
import { createRequire } from "node:module";

type IpAddr = typeof import("ipaddr.js");

let loaded: IpAddr | undefined;

export function addresses(): IpAddr {
  return (loaded ??= createRequire(import.meta.url)("ipaddr.js") as IpAddr);
}
