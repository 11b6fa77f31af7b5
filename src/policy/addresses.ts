/** ipaddr.js, loaded when the first address is read: few sessions have rules on addresses, and all have a start. */
import { createRequire } from "node:module";
import type ipaddr from "ipaddr.js";

type IpAddr = typeof ipaddr;

let loaded: IpAddr | undefined;

export function addresses(): IpAddr {
  return (loaded ??= createRequire(import.meta.url)("ipaddr.js") as IpAddr);
}
