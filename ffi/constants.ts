/** Kernel constants under their kernel names; layout.test.ts compares each with the C headers. */

const isArm = process.arch === "arm64";

/** Flags of open(2), as this machine's own ABI spells them: four differ on arm. */
export interface OpenFlags {
  readonly O_DIRECTORY: number;
  readonly O_NOFOLLOW: number;
  readonly O_DIRECT: number;
  readonly O_LARGEFILE: number;
  readonly O_TMPFILE: number;
}

export const OPEN_FLAGS_X86: OpenFlags = {
  O_DIRECTORY: 0o200000,
  O_NOFOLLOW: 0o400000,
  O_DIRECT: 0o40000,
  O_LARGEFILE: 0o100000,
  O_TMPFILE: 0o20200000,
};
export const OPEN_FLAGS_ARM: OpenFlags = {
  O_DIRECTORY: 0o40000,
  O_NOFOLLOW: 0o100000,
  O_DIRECT: 0o200000,
  O_LARGEFILE: 0o400000,
  O_TMPFILE: 0o20040000,
};

export const O_RDONLY = 0;
export const O_WRONLY = 1;
export const O_RDWR = 2;
export const O_ACCMODE = 3;
export const O_CREAT = 0o100;
export const O_EXCL = 0o200;
export const O_NOCTTY = 0o400;
export const O_TRUNC = 0o1000;
export const O_APPEND = 0o2000;
export const O_NONBLOCK = 0o4000;
export const O_NOATIME = 0o1000000;
export const O_CLOEXEC = 0o2000000;
export const O_PATH = 0o10000000;
/** The bit that makes O_TMPFILE together with O_DIRECTORY. */
export const __O_TMPFILE = 0o20000000;
export const { O_DIRECTORY, O_NOFOLLOW, O_DIRECT, O_LARGEFILE, O_TMPFILE } = isArm ? OPEN_FLAGS_ARM : OPEN_FLAGS_X86;

export const AT_FDCWD = -100;
export const AT_SYMLINK_NOFOLLOW = 0x100;
export const AT_REMOVEDIR = 0x200;
export const AT_EACCESS = 0x200;
export const AT_SYMLINK_FOLLOW = 0x400;
export const AT_NO_AUTOMOUNT = 0x800;
export const AT_EMPTY_PATH = 0x1000;

export const RESOLVE_NO_XDEV = 0x01;
export const RESOLVE_NO_MAGICLINKS = 0x02;
export const RESOLVE_NO_SYMLINKS = 0x04;
export const RESOLVE_BENEATH = 0x08;
export const RESOLVE_IN_ROOT = 0x10;
export const RESOLVE_CACHED = 0x20;

export const RENAME_NOREPLACE = 1;
export const RENAME_EXCHANGE = 2;
export const RENAME_WHITEOUT = 4;

export const S_IFMT = 0o170000;
export const S_IFSOCK = 0o140000;
export const S_IFLNK = 0o120000;
export const S_IFREG = 0o100000;
export const S_IFBLK = 0o60000;
export const S_IFDIR = 0o40000;
export const S_IFCHR = 0o20000;
export const S_IFIFO = 0o10000;
export const S_ISUID = 0o4000;
export const S_ISGID = 0o2000;
export const S_ISVTX = 0o1000;

export const F_DUPFD = 0;
export const F_GETFD = 1;
export const F_SETFD = 2;
export const F_GETFL = 3;
export const F_SETFL = 4;
export const F_DUPFD_CLOEXEC = 1030;
export const FD_CLOEXEC = 1;
export const F_ADD_SEALS = 1033;
export const MFD_CLOEXEC = 1;
export const MFD_ALLOW_SEALING = 2;
export const F_SEAL_ALL = 0xf;

export const POLLIN = 1;
export const POLLOUT = 4;
export const POLLERR = 8;
export const POLLHUP = 16;

export const CLONE_VM = 0x100;
export const CLONE_FS = 0x200;
export const CLONE_FILES = 0x400;
export const CLONE_NEWNS = 0x20000;
export const CLONE_NEWCGROUP = 0x2000000;
export const CLONE_NEWUTS = 0x4000000;
export const CLONE_NEWIPC = 0x8000000;
export const CLONE_NEWUSER = 0x10000000;
export const CLONE_NEWPID = 0x20000000;
export const CLONE_NEWNET = 0x40000000;

export const SECCOMP_FILTER_FLAG_LOG = 2;
export const SECCOMP_FILTER_FLAG_NEW_LISTENER = 8;
export const SECCOMP_FILTER_FLAG_TSYNC_ESRCH = 16;
export const SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV = 32;
export const SECCOMP_USER_NOTIF_FLAG_CONTINUE = 1;
export const SECCOMP_ADDFD_FLAG_SETFD = 1;
export const SECCOMP_ADDFD_FLAG_SEND = 2;
export const SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP = 1;
export const SECCOMP_RET_KILL_PROCESS = 0x80000000;
export const SECCOMP_RET_ERRNO = 0x00050000;
export const SECCOMP_RET_USER_NOTIF = 0x7fc00000;
export const SECCOMP_RET_ALLOW = 0x7fff0000;

export const AUDIT_ARCH_X86_64 = 0xc000003e;
export const AUDIT_ARCH_I386 = 0x40000003;
export const AUDIT_ARCH_AARCH64 = 0xc00000b7;
export const AUDIT_ARCH_ARM = 0x40000028;
export const __X32_SYSCALL_BIT = 0x40000000;

export const LANDLOCK_ACCESS_FS_EXECUTE = 1 << 0;
export const LANDLOCK_ACCESS_FS_WRITE_FILE = 1 << 1;
export const LANDLOCK_ACCESS_FS_READ_FILE = 1 << 2;
export const LANDLOCK_ACCESS_FS_READ_DIR = 1 << 3;
export const LANDLOCK_ACCESS_FS_REMOVE_DIR = 1 << 4;
export const LANDLOCK_ACCESS_FS_REMOVE_FILE = 1 << 5;
export const LANDLOCK_ACCESS_FS_MAKE_CHAR = 1 << 6;
export const LANDLOCK_ACCESS_FS_MAKE_DIR = 1 << 7;
export const LANDLOCK_ACCESS_FS_MAKE_REG = 1 << 8;
export const LANDLOCK_ACCESS_FS_MAKE_SOCK = 1 << 9;
export const LANDLOCK_ACCESS_FS_MAKE_FIFO = 1 << 10;
export const LANDLOCK_ACCESS_FS_MAKE_BLOCK = 1 << 11;
export const LANDLOCK_ACCESS_FS_MAKE_SYM = 1 << 12;
export const LANDLOCK_ACCESS_FS_REFER = 1 << 13;
export const LANDLOCK_ACCESS_FS_TRUNCATE = 1 << 14;
export const LANDLOCK_ACCESS_FS_IOCTL_DEV = 1 << 15;
export const LANDLOCK_ACCESS_NET_BIND_TCP = 1 << 0;
export const LANDLOCK_ACCESS_NET_CONNECT_TCP = 1 << 1;
export const LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0;
export const LANDLOCK_SCOPE_SIGNAL = 1 << 1;

/** Requests of ioctl(2) that change something or that the supervisor makes. */
export const TCGETS = 0x5401;
export const TCSETS = 0x5402;
export const TIOCSCTTY = 0x540e;
export const TIOCGPGRP = 0x540f;
export const TIOCSPGRP = 0x5410;
export const TIOCSTI = 0x5412;
export const TIOCGWINSZ = 0x5413;
export const TIOCLINUX = 0x541c;
export const TIOCCONS = 0x541d;
export const TIOCGPTN = 0x80045430;
export const TIOCGPTPEER = 0x5441;
export const FS_IOC_GETFLAGS = 0x80086601;
export const FS_IOC_SETFLAGS = 0x40086602;
export const FS_IOC32_SETFLAGS = 0x40046602;
export const FS_IOC_SETVERSION = 0x40087602;
export const FS_IOC32_SETVERSION = 0x40047602;
export const FS_IOC_FSGETXATTR = 0x801c581f;
export const FS_IOC_FSSETXATTR = 0x401c5820;

export const SOL_SOCKET = 1;
export const SO_TYPE = 3;
export const SO_PEERCRED = 17;
export const SO_PROTOCOL = 38;
export const SO_DOMAIN = 39;
export const AF_UNIX = 1;
export const AF_INET = 2;
export const AF_INET6 = 10;
export const SOCK_STREAM = 1;
export const SOCK_DGRAM = 2;
export const SOCK_SEQPACKET = 5;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;
export const MSG_DONTWAIT = 0x40;

export const PR_SET_PDEATHSIG = 1;
export const PR_GET_DUMPABLE = 3;
export const PR_SET_DUMPABLE = 4;
export const PR_SET_NAME = 15;
export const PR_SET_CHILD_SUBREAPER = 36;
export const PR_SET_NO_NEW_PRIVS = 38;

export const KCMP_FILE = 0;
export const KCMP_FILES = 2;
export const KCMP_FS = 3;

export const PIDFD_THREAD = O_EXCL;
