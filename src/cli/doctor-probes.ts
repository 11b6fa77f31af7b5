/** What this kernel and this machine can do, found out by doing it. The process that probes is good for nothing else after. */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { close } from "../../ffi/fd.ts";
import { Errno, errnoName } from "../../ffi/errno.ts";
import { landlockAbi } from "../../ffi/landlock.ts";
import { pidfdGetfd, pidfdOpen } from "../../ffi/pidfd.ts";
import { setNoNewPrivs } from "../../ffi/prctl.ts";
import { knowsFilterFlags, Listener, notificationSizes, setFilter } from "../../ffi/seccomp.ts";
import { getsockoptInt, socketpair } from "../../ffi/socket.ts";
import { built } from "../tree.ts";
import type { Finding } from "./doctor.ts";

const SECCOMP_FILTER_FLAG_NEW_LISTENER = 8;
const SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV = 32;
/** BPF_RET | BPF_K, SECCOMP_RET_ALLOW. */
const ALLOW_ALL = Uint8Array.of(6, 0, 0, 0, 0, 0, 0xff, 0x7f);
const SOL_SOCKET = 1;
const SO_PEERPIDFD = 77;

export function probeAll(env: Readonly<Record<string, string | undefined>>): Finding[] {
  return [
    ...probeSeccomp(),
    probeLandlock(),
    probePidfd(),
    probePeerPidfd(),
    probeYama(),
    probeBpf(),
    ...probePlaces(env),
    ...probeParts(),
  ];
}

function probeSeccomp(): Finding[] {
  const sizes = notificationSizes();
  if (typeof sizes === "number") {
    return [
      bad(
        "seccomp-notify",
        "seccomp user notification",
        errnoName(sizes),
        "hallpass cannot run here: it needs Linux 5.9 or later with CONFIG_SECCOMP_FILTER",
      ),
    ];
  }
  setNoNewPrivs();
  const fd = setFilter(ALLOW_ALL, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (fd === -Errno.EBUSY) {
    return [
      bad(
        "seccomp-notify",
        "seccomp user notification",
        "this process already has a listener",
        "hallpass cannot run inside a sandbox that uses one itself (another hallpass, say)",
      ),
    ];
  }
  if (fd < 0) return [bad("seccomp-notify", "seccomp user notification", errnoName(fd), "hallpass cannot run here")];
  const found = [good("seccomp-notify", "seccomp user notification", "works"), ...probeListener(new Listener(fd))];
  close(fd);
  return found;
}

function probeListener(listener: Listener): Finding[] {
  const send = listener.addfdSend(0, 0, 0, 0);
  return [
    send === -Errno.ENOENT
      ? good("addfd-send", "answering an open with a descriptor in one step", "works")
      : bad(
          "addfd-send",
          "answering an open with a descriptor in one step",
          errnoName(send),
          "two steps are used instead (Linux before 5.14)",
          "partly",
        ),
    knowsFilterFlags(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
      ? good("wait-killable", "calls that signals do not restart while they are decided", "works")
      : bad(
          "wait-killable",
          "calls that signals do not restart while they are decided",
          "not known here",
          "programs with many signals are slower (Linux before 5.19)",
          "partly",
        ),
    listener.setSyncWakeUp()
      ? good("sync-wake-up", "fast hand-over to the supervisor", "works")
      : bad(
          "sync-wake-up",
          "fast hand-over to the supervisor",
          "not known here",
          "each mediated call costs about eight times as much (Linux before 6.6)",
          "partly",
        ),
  ];
}

function probeLandlock(): Finding {
  const abi = landlockAbi();
  const what = "Landlock, the fence behind the questions";
  if (abi === 0)
    return bad(
      "landlock",
      what,
      "not there",
      "no fence: every mediated call is carried out by hallpass, which is slower",
      "partly",
    );
  if (abi < 2)
    return bad("landlock", what, `ABI ${abi}`, "no fence: ABI 2 is needed, for renames between folders", "partly");
  return good(
    "landlock",
    what,
    `ABI ${abi}${abi < 6 ? " (from 6 on it also keeps signals and abstract sockets inside)" : ""}`,
  );
}

function probePidfd(): Finding {
  const pidfd = pidfdOpen(process.pid);
  const copy = pidfd < 0 ? pidfd : pidfdGetfd(pidfd, 2);
  for (const fd of [pidfd, copy]) if (fd >= 0) close(fd);
  const what = "taking a copy of a program's socket";
  return copy >= 0
    ? good("pidfd-getfd", what, "works")
    : bad(
        "pidfd-getfd",
        what,
        errnoName(copy),
        "connections that a rule allows go through with less protection against races",
        "partly",
      );
}

function probePeerPidfd(): Finding {
  const [one, other] = socketpair();
  const pidfd = getsockoptInt(one, SOL_SOCKET, SO_PEERPIDFD);
  for (const fd of [one, other, pidfd]) if (fd >= 0) close(fd);
  const what = "telling for certain which process attaches to a session";
  return pidfd >= 0
    ? good("peer-pidfd", what, "works")
    : bad("peer-pidfd", what, errnoName(pidfd), "told by its pid and start time instead (Linux before 6.5)", "partly");
}

function probeYama(): Finding {
  const scope = read("/proc/sys/kernel/yama/ptrace_scope");
  const what = "reading the memory of the programs that are asked about";
  if (scope === undefined) return good("yama", what, "not restricted (no Yama)");
  if (Number(scope) <= 1) return good("yama", what, `allowed (ptrace_scope ${scope})`);
  const follows = "no program's memory can be read without privilege: set kernel.yama.ptrace_scope to 1 or 0";
  return process.getuid?.() === 0 && scope === "2"
    ? good("yama", what, "allowed (root)")
    : bad("yama", what, `ptrace_scope ${scope}`, follows);
}

function probeBpf(): Finding {
  const lsms = read("/sys/kernel/security/lsm");
  const what = "BPF LSM, for --mode=strict";
  if (lsms === undefined)
    return bad(
      "bpf-lsm",
      what,
      "/sys/kernel/security/lsm cannot be read",
      "strict mode may not work; lite mode does",
      "partly",
    );
  return lsms.split(",").includes("bpf")
    ? good("bpf-lsm", what, "on")
    : bad(
        "bpf-lsm",
        what,
        `not among ${lsms}`,
        "no strict mode: add bpf to lsm= on the kernel's command line",
        "partly",
      );
}

function probePlaces(env: Readonly<Record<string, string | undefined>>): Finding[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const hasDesktop = Boolean(env.DBUS_SESSION_BUS_ADDRESS && (env.DISPLAY || env.WAYLAND_DISPLAY));
  return [
    runtime
      ? good("runtime-folder", "a folder for session sockets", runtime)
      : bad(
          "runtime-folder",
          "a folder for session sockets",
          "XDG_RUNTIME_DIR is not set",
          "sockets lie in the state folder instead",
          "partly",
        ),
    canOpen("/dev/tty")
      ? good("terminal", "a terminal", "there is one")
      : bad("terminal", "a terminal", "none here", "requests are answered with hallpass answer", "partly"),
    hasDesktop
      ? good("desktop", "a desktop session", "there is one")
      : bad("desktop", "a desktop session", "none here", "no notifications", "partly"),
  ];
}

function probeParts(): Finding[] {
  return ["launcher", "libhallpass.so", "policy.wasm"].map((name) =>
    existsSync(built(name))
      ? good(name, `build/${name}`, "is built")
      : bad(name, `build/${name}`, "is missing", "run npm run build"),
  );
}

function good(id: string, what: string, detail: string): Finding {
  return { id, what, state: "yes", detail };
}

function bad(id: string, what: string, detail: string, follows: string, state: "no" | "partly" = "no"): Finding {
  return { id, what, state, detail, follows };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

function canOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return Bun.spawnSync(["sh", "-c", "exec < /dev/tty"], { stderr: "ignore" }).success;
  } catch {
    return false;
  }
}
