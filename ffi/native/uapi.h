/* Kernel interface newer than the headers we build with (Debian 12: Linux 6.1), each with the version it came in. */
#ifndef HALLPASS_UAPI_H
#define HALLPASS_UAPI_H

#include <linux/types.h>

/* linux/seccomp.h, 6.6 */
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, __u64)
#endif

/* asm/unistd.h: the numbers are the same on every architecture from 5.1 on. */
#ifndef __NR_fchmodat2 /* 6.6 */
#define __NR_fchmodat2 452
#endif
#ifndef __NR_setxattrat /* 6.13 */
#define __NR_setxattrat    463
#define __NR_getxattrat    464
#define __NR_listxattrat   465
#define __NR_removexattrat 466
#endif
#ifndef __NR_file_getattr /* 6.17 */
#define __NR_file_getattr 468
#define __NR_file_setattr 469
#endif

/*
 * linux/xattr.h, 6.13
 *   0 value (pointer)   8 size   12 flags   = 16 bytes
 */
struct hp_xattr_args {
    __u64 value __attribute__((aligned(8)));
    __u32 size;
    __u32 flags;
};

/*
 * linux/fs.h, 6.17
 *   0 xflags   8 extsize   12 nextents   16 projid   20 cowextsize   = 24 bytes
 */
struct hp_file_attr {
    __u64 fa_xflags;
    __u32 fa_extsize;
    __u32 fa_nextents;
    __u32 fa_projid;
    __u32 fa_cowextsize;
};

/*
 * linux/landlock.h: ABI 2 refer, 3 truncate, 4 net, 5 ioctl, 6 scopes
 *   0 handled_access_fs   8 handled_access_net   16 scoped   = 24 bytes
 */
struct hp_landlock_ruleset_attr {
    __u64 handled_access_fs;
    __u64 handled_access_net;
    __u64 scoped;
};

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_RULE_NET_PORT          2
#define LANDLOCK_ACCESS_NET_BIND_TCP    (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_SCOPE_SIGNAL
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL               (1ULL << 1)
#endif

#endif
