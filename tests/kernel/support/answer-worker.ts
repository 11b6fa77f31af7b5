/** The driver's listener loop: a name in the list gets its errno, everything else is continued, all is told before. */
import { appendFileSync } from "node:fs";
import { ascii } from "../../../ffi/bytes.ts";
import { Listener, NOTIF } from "../../../ffi/seccomp.ts";
import { readString } from "../../../ffi/process-vm.ts";
import { archOf, syscallName } from "../../../src/supervisor/syscalls/index.ts";

declare const self: Worker;

/** Where a call has its path, for the record. */
const PATH_AT: Readonly<Record<string, number>> = { openat: 1, openat2: 1, unlinkat: 1, mkdirat: 1, renameat2: 1 };

self.addEventListener(
  "message",
  ({ data }: MessageEvent<{ listenerFd: number; refuse: Record<string, number>; events: string }>) => {
    const listener = new Listener(data.listenerFd);
    listener.setSyncWakeUp();
    const path = new Uint8Array(4096);
    for (;;) {
      if (listener.receive() < 0) continue;
      const { words } = listener;
      const [idLow, idHigh, pid] = [words[NOTIF.idLow]!, words[NOTIF.idHigh]!, words[NOTIF.pid]!];
      const arch = archOf(words[NOTIF.arch]!);
      const name = (arch && syscallName(arch, words[NOTIF.nr]!)) ?? "unknown";
      const at = NOTIF.args + 2 * (PATH_AT[name] ?? 0);
      const length = readString(pid, words[at]!, words[at + 1]!, path, 0, path.length);
      const event = { event: "call", pid, name, arch, path: length < 0 ? length : ascii(path, 0, length) };
      appendFileSync(data.events, `${JSON.stringify(event)}\n`);
      const errno = data.refuse[name];
      if (errno === undefined) listener.sendContinue(idLow, idHigh);
      else listener.sendError(idLow, idHigh, errno);
    }
  },
);
