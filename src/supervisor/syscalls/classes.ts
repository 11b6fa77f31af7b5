/**
 * Every system call and what becomes of it. A call that is in no list here makes classes.test.ts fail; a number that is
 * in no table at all is answered ENOSYS by the filter, as an older kernel would.
 */
import {
  __O_TMPFILE,
  FS_IOC32_SETFLAGS,
  FS_IOC32_SETVERSION,
  FS_IOC_FSSETXATTR,
  FS_IOC_SETFLAGS,
  FS_IOC_SETVERSION,
  O_APPEND,
  O_CREAT,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
  TIOCCONS,
  TIOCGPTPEER,
  TIOCLINUX,
  TIOCSTI,
} from "../../../ffi/constants.ts";
import { Errno } from "../../../ffi/errno.ts";

/** When a call is stopped, judged on its registers alone. */
export type When =
  | { readonly when: "always" }
  /** Any of these bits in the low half of the argument (the kernel takes an int, whatever lies above). */
  | { readonly when: "bits"; readonly arg: number; readonly mask: number }
  /** The low half is one of these. */
  | { readonly when: "one-of"; readonly arg: number; readonly values: readonly number[] }
  /** All these arguments are not zero; `int` arguments in their low half, pointers in both. */
  | { readonly when: "non-zero"; readonly ints: readonly number[]; readonly pointers: readonly number[] }
  /** An ioctl request that changes something through a descriptor that need not be writable. */
  | { readonly when: "ioctl"; readonly arg: number };

/** Which part of the session wants a call stopped. `guard` holds in every session: it keeps the supervision whole. */
export type TrapClass = "write" | "read" | "exec" | "services" | "connect" | "signals" | "guard";

export type SyscallClass =
  | { readonly kind: "pass" }
  | { readonly kind: "refuse"; readonly errno: number; readonly why: string }
  | { readonly kind: "trap"; readonly traps: readonly (When & { readonly for: TrapClass })[] };

const ALWAYS: When = { when: "always" };

function trap(...traps: readonly (When & { readonly for: TrapClass })[]): SyscallClass {
  return { kind: "trap", traps };
}

/**
 * Bits of open(2) without which nothing can be changed. O_RDONLY|O_TRUNC truncates, access mode 3 wants write
 * permission; __O_TMPFILE makes an inode. The values are the same on all four architectures.
 */
export const OPEN_CHANGES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | __O_TMPFILE;

function open(arg: number): SyscallClass {
  return trap({ when: "bits", arg, mask: OPEN_CHANGES, for: "write" }, { ...ALWAYS, for: "read" });
}

const WRITE_ALWAYS = `
  creat mkdir mkdirat mknod mknodat unlink unlinkat rmdir rename renameat renameat2 link linkat symlink symlinkat
  truncate truncate64
  chmod fchmod fchmodat fchmodat2 chown chown32 fchown fchown32 lchown lchown32 fchownat
  utime utimes futimesat utimensat utimensat_time64
  setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr
  bind
  acct swapon swapoff quotactl quotactl_fd`;

/** What changes the meaning of paths, or reaches files by none: stopped in every session. */
const GUARD_ALWAYS = `
  mount umount umount2 pivot_root chroot setns
  open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr
  open_by_handle_at process_vm_writev pidfd_getfd`;

const EXEC_ALWAYS = "execve execveat";

const SIGNALS_ALWAYS = "kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal";

const PTRACE_ATTACH = 16;
const PTRACE_SEIZE = 0x4206;

/** Calls of socketcall(2), 32-bit x86 only. */
const SYS_BIND = 2;
const SYS_CONNECT = 3;
const SYS_SENDTO = 11;
const SYS_SENDMSG = 16;
const SYS_SENDMMSG = 20;

const SPECIAL: Readonly<Record<string, SyscallClass>> = {
  open: open(1),
  openat: open(2),
  // The flags of openat2 lie in memory, where another thread may change them.
  openat2: trap({ ...ALWAYS, for: "write" }, { ...ALWAYS, for: "read" }),
  ioctl: trap({ when: "ioctl", arg: 1, for: "write" }),
  connect: trap({ ...ALWAYS, for: "services" }, { ...ALWAYS, for: "connect" }),
  // send(2) is sendto with no address.
  sendto: trap({ when: "non-zero", ints: [], pointers: [4], for: "connect" }),
  sendmsg: trap({ ...ALWAYS, for: "connect" }),
  sendmmsg: trap({ ...ALWAYS, for: "connect" }),
  socketcall: trap(
    { when: "one-of", arg: 0, values: [SYS_BIND], for: "write" },
    { when: "one-of", arg: 0, values: [SYS_CONNECT], for: "services" },
    { when: "one-of", arg: 0, values: [SYS_CONNECT, SYS_SENDTO, SYS_SENDMSG, SYS_SENDMMSG], for: "connect" },
  ),
  ptrace: trap({ when: "one-of", arg: 0, values: [PTRACE_ATTACH, PTRACE_SEIZE], for: "guard" }),
  // Limits of another process: one of CPU time ends it.
  prlimit64: trap({ when: "non-zero", ints: [0], pointers: [2], for: "guard" }),
};

const REFUSED: Readonly<Record<string, readonly [errno: number, why: string]>> = {
  io_uring_setup: [Errno.ENOSYS, "its requests reach the kernel without a call; programs fall back to plain calls"],
  io_uring_enter: [Errno.ENOSYS, "as io_uring_setup"],
  io_uring_register: [Errno.ENOSYS, "as io_uring_setup"],
  userfaultfd: [Errno.EPERM, "a fault handler in the target could hold up the supervisor when it reads memory"],
  bpf: [Errno.EPERM, "programs in the kernel act outside of any process"],
  init_module: [Errno.EPERM, "code in the kernel"],
  finit_module: [Errno.EPERM, "code in the kernel"],
  delete_module: [Errno.EPERM, "code in the kernel"],
  kexec_load: [Errno.EPERM, "code in the kernel"],
  kexec_file_load: [Errno.EPERM, "code in the kernel"],
  reboot: [Errno.EPERM, "ends the machine"],
  iopl: [Errno.EPERM, "ports of devices"],
  ioperm: [Errno.EPERM, "ports of devices"],
  pciconfig_write: [Errno.EPERM, "registers of devices"],
  pciconfig_iobase: [Errno.EPERM, "registers of devices"],
};

/** Reads, memory, processes and descriptors: nothing here changes a file that no write-open was asked for. */
const PASS = `
  read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 close close_range lseek _llseek
  stat fstat lstat stat64 fstat64 lstat64 newfstatat fstatat64 statx statfs fstatfs statfs64 fstatfs64 oldstat oldfstat
  oldlstat oldolduname olduname ustat sysfs access faccessat faccessat2 readlink readlinkat getcwd getdents getdents64
  readdir getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat file_getattr
  name_to_handle_at statmount listmount cachestat readahead fadvise64 fadvise64_64 arm_fadvise64_64
  inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark lookup_dcookie
  ftruncate ftruncate64 fallocate fsync fdatasync sync syncfs sync_file_range arm_sync_file_range
  sendfile sendfile64 splice tee vmsplice copy_file_range flock fcntl fcntl64 chdir fchdir umask
  dup dup2 dup3 pipe pipe2 poll ppoll ppoll_time64 select _newselect pselect6 pselect6_time64
  epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_wait epoll_wait_old epoll_pwait epoll_pwait2
  eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime timerfd_settime64
  timerfd_gettime64 memfd_create memfd_secret
  io_setup io_destroy io_getevents io_submit io_cancel io_pgetevents io_pgetevents_time64
  mmap mmap2 mprotect munmap mremap msync mincore madvise brk mlock mlock2 munlock mlockall munlockall
  remap_file_pages mbind set_mempolicy get_mempolicy set_mempolicy_home_node migrate_pages move_pages mseal
  pkey_mprotect pkey_alloc pkey_free membarrier map_shadow_stack process_madvise process_mrelease
  uselib modify_ldt vm86 vm86old set_thread_area get_thread_area arch_prctl
  shmget shmat shmctl shmdt semget semop semctl semtimedop semtimedop_time64 msgget msgsnd msgrcv msgctl ipc
  mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr mq_timedsend_time64 mq_timedreceive_time64
  socket socketpair accept accept4 listen shutdown getsockname getpeername setsockopt getsockopt
  send recv recvfrom recvmsg recvmmsg recvmmsg_time64
  clone clone3 fork vfork unshare exit exit_group wait4 waitpid waitid
  rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigtimedwait_time64 rt_sigsuspend
  sigaction sigprocmask sigreturn sigpending sigsuspend sigaltstack signal sgetmask ssetmask pause restart_syscall
  pidfd_open process_vm_readv kcmp prctl seccomp personality capget capset
  getpid getppid gettid getpgid getpgrp setpgid getsid setsid set_tid_address set_robust_list get_robust_list rseq
  getuid geteuid getgid getegid getuid32 geteuid32 getgid32 getegid32 getresuid getresgid getresuid32 getresgid32
  setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setuid32 setgid32 setreuid32 setregid32
  setresuid32 setresgid32 setfsuid32 setfsgid32 getgroups setgroups getgroups32 setgroups32
  futex futex_time64 futex_wait futex_wake futex_waitv futex_requeue
  getrlimit setrlimit ugetrlimit getrusage times getpriority setpriority nice
  sched_yield sched_setparam sched_getparam sched_setscheduler sched_getscheduler sched_get_priority_max
  sched_get_priority_min sched_rr_get_interval sched_rr_get_interval_time64 sched_setaffinity sched_getaffinity
  sched_setattr sched_getattr ioprio_set ioprio_get getcpu
  time stime gettimeofday settimeofday adjtimex ftime clock_gettime clock_settime clock_getres clock_nanosleep
  clock_adjtime clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 nanosleep
  alarm getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete timer_settime64
  timer_gettime64
  uname sethostname setdomainname sysinfo syslog getrandom vhangup
  landlock_create_ruleset landlock_add_rule landlock_restrict_self lsm_get_self_attr lsm_set_self_attr lsm_list_modules
  add_key request_key keyctl perf_event_open uprobe uretprobe pciconfig_read
  _sysctl afs_syscall bdflush break create_module get_kernel_syms getpmsg gtty idle lock mpx nfsservctl prof profil
  putpmsg query_module security stty tuxcall ulimit vserver`;

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

function build(): ReadonlyMap<string, SyscallClass> {
  const classes = new Map<string, SyscallClass>();
  for (const name of words(PASS)) classes.set(name, { kind: "pass" });
  for (const name of words(WRITE_ALWAYS)) classes.set(name, trap({ ...ALWAYS, for: "write" }));
  for (const name of words(GUARD_ALWAYS)) classes.set(name, trap({ ...ALWAYS, for: "guard" }));
  for (const name of words(EXEC_ALWAYS)) classes.set(name, trap({ ...ALWAYS, for: "exec" }));
  for (const name of words(SIGNALS_ALWAYS)) classes.set(name, trap({ ...ALWAYS, for: "signals" }));
  for (const [name, special] of Object.entries(SPECIAL)) classes.set(name, special);
  for (const [name, [errno, why]] of Object.entries(REFUSED)) classes.set(name, { kind: "refuse", errno, why });
  return classes;
}

export const SYSCALL_CLASSES = build();

const FAT_IOCTL_SET_ATTRIBUTES = 0x40047211;
const FS_IOC_SET_ENCRYPTION_POLICY = 0x800c6613;
const FS_IOC_ADD_ENCRYPTION_KEY = 0xc0506617;
const FS_IOC_REMOVE_ENCRYPTION_KEY = 0xc0406618;
const FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS = 0xc0406619;
const FS_IOC_ENABLE_VERITY = 0x40806685;
const EXT4_IOC_GROUP_EXTEND = 0x40086607;
const EXT4_IOC_MIGRATE = 0x6609;
const EXT4_IOC_SWAP_BOOT = 0x6611;
const EXT4_IOC_SETFSUUID = 0x4008662c;
const FIFREEZE = 0xc0045877;
const FITHAW = 0xc0045878;
const FITRIM = 0xc0185879;
const FS_IOC_SHUTDOWN = 0x8004587d;

/** Requests that change something on a descriptor opened for reading only. */
export const IOCTL_CHANGES: readonly number[] = [
  TIOCSTI,
  TIOCLINUX,
  TIOCCONS,
  TIOCGPTPEER,
  FS_IOC_SETFLAGS,
  FS_IOC32_SETFLAGS,
  FS_IOC_SETVERSION,
  FS_IOC32_SETVERSION,
  FS_IOC_FSSETXATTR,
  FAT_IOCTL_SET_ATTRIBUTES,
  FS_IOC_SET_ENCRYPTION_POLICY,
  FS_IOC_ADD_ENCRYPTION_KEY,
  FS_IOC_REMOVE_ENCRYPTION_KEY,
  FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS,
  FS_IOC_ENABLE_VERITY,
  EXT4_IOC_GROUP_EXTEND,
  EXT4_IOC_MIGRATE,
  EXT4_IOC_SWAP_BOOT,
  EXT4_IOC_SETFSUUID,
  FIFREEZE,
  FITHAW,
  FITRIM,
  FS_IOC_SHUTDOWN,
];

/**
 * Whole families (bits 8 to 15 of the request) of file systems that make and remove subvolumes, snapshots and files
 * through a folder's descriptor: btrfs, f2fs, bcachefs. Their requests to copy between files opened for writing pass.
 */
export const IOCTL_CHANGING_TYPES: readonly number[] = [0x94, 0xf5, 0xbc];
export const IOCTL_PASSING: readonly number[] = [0x40049409 /* FICLONE */, 0x4020940d /* FICLONERANGE */];
