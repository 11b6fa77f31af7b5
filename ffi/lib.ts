/** The only dlopen: what libhallpass.so exports, as native/hallpass.h declares it. Every result is >= 0 or -errno. */
import { existsSync } from "node:fs";
import { dlopen } from "bun:ffi";
import { HallpassError } from "../src/errors.ts";
import { built } from "../src/tree.ts";

const path = built("libhallpass.so");

type Argument = "i32" | "u32" | "ptr";

function call<const A extends readonly Argument[]>(...args: A): { readonly args: A; readonly returns: "i32" } {
  return { args, returns: "i32" };
}

const PATH = ["i32", "ptr", "u32"] as const;
const ID = ["i32", "u32", "u32"] as const;
const BYTES = ["ptr", "u32", "u32"] as const;

const symbols = {
  hp_seccomp_receive: call("i32", "ptr"),
  hp_seccomp_wait: call("i32", "i32", "i32"),
  hp_seccomp_send: call(...ID, "i32", "i32", "u32"),
  hp_seccomp_addfd: call(...ID, "u32", "i32", "u32", "u32"),
  hp_seccomp_id_valid: call(...ID),
  hp_seccomp_set_flags: call("i32", "u32"),
  hp_seccomp_knows_filter_flags: call("u32"),
  hp_seccomp_notification_sizes: call("ptr"),
  hp_seccomp_set_filter: call("ptr", "u32", "u32"),

  hp_close: call("i32"),
  hp_close_range: call("u32", "u32", "u32"),
  hp_fcntl: call("i32", "i32", "u32"),
  hp_dup3: call("i32", "i32", "i32"),
  hp_pipe2: call("ptr", "i32"),
  hp_memfd_create: call("ptr", "u32"),
  hp_eventfd: call("u32", "i32"),
  hp_read: call("i32", ...BYTES),
  hp_pread: call("i32", ...BYTES, "u32", "u32"),
  hp_write: call("i32", ...BYTES),
  hp_ftruncate: call("i32", "u32", "u32"),
  hp_getdents: call("i32", "ptr", "u32"),
  hp_fstatfs: call("i32", "ptr"),
  hp_poll: call("ptr", "u32", "i32"),
  hp_ioctl_pointer: call("i32", "u32", "ptr"),
  hp_ioctl_value: call("i32", "u32", "u32"),
  hp_read_file: call(...PATH, "ptr", "u32"),
  hp_write_file: call(...PATH, "ptr", "u32"),
  hp_flock: call("i32", "i32"),

  hp_openat: call(...PATH, "u32", "u32"),
  hp_openat2: call(...PATH, "u32", "u32", "u32", "u32"),
  hp_readlinkat: call(...PATH, "ptr", "u32", "u32"),
  hp_statx: call(...PATH, "u32", "u32", "ptr"),
  hp_faccessat2: call(...PATH, "u32", "u32"),
  hp_mkdirat: call(...PATH, "u32"),
  hp_mknodat: call(...PATH, "u32", "u32"),
  hp_unlinkat: call(...PATH, "u32"),
  hp_symlinkat: call("ptr", "u32", ...PATH),
  hp_linkat: call(...PATH, ...PATH, "u32"),
  hp_renameat2: call(...PATH, ...PATH, "u32"),
  hp_truncate: call("ptr", "u32", "u32", "u32"),
  hp_chmod: call("ptr", "u32", "u32"),
  hp_fchmod: call("i32", "u32"),
  hp_fchmodat2: call(...PATH, "u32", "u32"),
  hp_fchownat: call(...PATH, "u32", "u32", "u32"),
  hp_utimensat: call(...PATH, "ptr", "u32"),
  hp_futimens: call("i32", "ptr"),
  hp_fchdir: call("i32"),
  hp_chroot: call("ptr", "u32"),

  hp_setxattr: call("ptr", "u32", "ptr", "ptr", "u32", "u32"),
  hp_lsetxattr: call("ptr", "u32", "ptr", "ptr", "u32", "u32"),
  hp_fsetxattr: call("i32", "ptr", "ptr", "u32", "u32"),
  hp_setxattrat: call(...PATH, "u32", "ptr", "ptr", "u32", "u32"),
  hp_getxattr: call("ptr", "u32", "ptr", "ptr", "u32"),
  hp_removexattr: call("ptr", "u32", "ptr"),
  hp_lremovexattr: call("ptr", "u32", "ptr"),
  hp_fremovexattr: call("i32", "ptr"),
  hp_removexattrat: call(...PATH, "u32", "ptr"),
  hp_file_getattr: call(...PATH, "ptr", "u32", "u32"),
  hp_file_setattr: call(...PATH, "ptr", "u32", "u32"),

  hp_process_read: call("i32", "u32", "u32", ...BYTES),
  hp_process_read_string: call("i32", "u32", "u32", ...BYTES),
  hp_process_write: call("i32", "u32", "u32", ...BYTES),
  hp_pidfd_open: call("i32", "u32"),
  hp_pidfd_getfd: call("i32", "i32"),
  hp_pidfd_send_signal: call("i32", "i32"),
  hp_kill: call("i32", "i32"),
  hp_tgkill: call("i32", "i32", "i32"),
  hp_getpgid: call("i32"),
  hp_getsid: call("i32"),
  hp_gettid: call(),
  hp_kcmp: call("i32", "i32", "i32", "u32", "u32"),
  hp_prctl: call("i32", "u32", "u32", "u32", "u32"),
  hp_prlimit: call("i32", "u32", "ptr", "ptr"),

  hp_setfsuid: call("u32"),
  hp_setfsgid: call("u32"),
  hp_setgroups: call("ptr", "u32"),
  hp_getgroups: call("ptr", "u32"),
  hp_capget: call("ptr"),
  hp_capset: call("ptr"),
  hp_umask: call("u32"),
  hp_unshare: call("u32"),
  hp_setns: call("i32", "u32"),
  hp_getresuid: call("ptr"),
  hp_getresgid: call("ptr"),

  hp_landlock_abi: call(),
  hp_landlock_create: call("u32", "u32", "u32", "u32"),
  hp_landlock_allow_path: call("i32", "i32", "u32"),
  hp_landlock_allow_port: call("i32", "u32", "u32"),
  hp_landlock_restrict_self: call("i32", "u32"),

  hp_socket: call("i32", "i32", "i32"),
  hp_socketpair: call("i32", "i32", "ptr"),
  hp_bind: call("i32", ...BYTES),
  hp_connect: call("i32", ...BYTES),
  hp_sendto: call("i32", "ptr", "u32", "u32", "ptr", "u32"),
  hp_sendmsg_fds: call("i32", "ptr", "u32", "ptr", "u32", "u32"),
  hp_sendmsg_control: call("i32", "ptr", "u32", "ptr", "u32", "ptr", "u32", "u32"),
  hp_recvmsg_fds: call("i32", "ptr", "u32", "ptr", "u32", "u32"),
  hp_getsockopt_int: call("i32", "i32", "i32"),
  hp_getsockopt: call("i32", "i32", "i32", "ptr", "u32"),
  hp_getsockname: call("i32", "ptr", "u32"),
  hp_getpeername: call("i32", "ptr", "u32"),

  hp_blocking_open: call(...PATH, "u32", "u32"),
  hp_blocking_connect: call("i32", "ptr", "u32"),
  hp_blocking_interrupt: call("i32"),
} as const;

function load() {
  if (!existsSync(path)) throw new HallpassError(`${path} is missing: run \`npm run build\``);
  return dlopen(path, symbols).symbols;
}

export const lib = load();
