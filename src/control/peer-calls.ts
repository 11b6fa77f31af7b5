/** What the kernel says of the process that connected. */
import { close, pollOne } from "../../ffi/fd.ts";
import { errnoName } from "../../ffi/errno.ts";
import { pidfdOpen } from "../../ffi/pidfd.ts";
import { getsockoptInt, peerCredentials } from "../../ffi/socket.ts";
import { HallpassError } from "../errors.ts";
import type { PeerCalls } from "./peer.ts";

const SOL_SOCKET = 1;
const SO_PEERPIDFD = 77;
const POLLIN = 1;

export const peerCalls: PeerCalls = {
  credentials(fd) {
    const found = peerCredentials(fd);
    if (typeof found === "number") throw new HallpassError(`getsockopt SO_PEERCRED: ${errnoName(found)}`);
    return found;
  },

  /** SO_PEERPIDFD is of the process that connected, whoever has its pid now; a pidfd is readable once it has ended. */
  isAlive(fd, pid) {
    const peer = getsockoptInt(fd, SOL_SOCKET, SO_PEERPIDFD);
    const pidfd = peer >= 0 ? peer : pidfdOpen(pid);
    if (pidfd < 0) return false;
    const ended = pollOne(pidfd, POLLIN, 0) !== 0;
    close(pidfd);
    return !ended;
  },
};
