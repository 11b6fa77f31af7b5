/*
 * Credentials of the calling thread alone: the raw calls change one thread; the spreading over all threads that
 * credentials(7) and nptl(7) tell of is the libc's work.
 */
#include <linux/capability.h>

#include "hallpass.h"

/* Returns the file-system uid before; there is no error, so read it back with an impossible value. */
EXPORT int32_t hp_setfsuid(uint32_t uid)
{
    return (int32_t)SYS1(setfsuid, uid);
}

EXPORT int32_t hp_setfsgid(uint32_t gid)
{
    return (int32_t)SYS1(setfsgid, gid);
}

EXPORT int32_t hp_setgroups(const uint32_t *groups, uint32_t count)
{
    return (int32_t)SYS2(setgroups, count, groups);
}

EXPORT int32_t hp_getgroups(uint32_t *groups, uint32_t capacity)
{
    return (int32_t)SYS2(getgroups, capacity, groups);
}

/*
 * Six u32: effective, permitted, inheritable of capabilities 0-31, then the same of 32-63, as struct
 * __user_cap_data_struct[2] lies in memory.
 */
EXPORT int32_t hp_capget(uint32_t *sets)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    return (int32_t)SYS2(capget, &header, sets);
}

EXPORT int32_t hp_capset(const uint32_t *sets)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    return (int32_t)SYS2(capset, &header, sets);
}

/* Returns the mask before. One mask for all threads that share CLONE_FS. */
EXPORT int32_t hp_umask(uint32_t mask)
{
    return (int32_t)SYS1(umask, mask);
}

EXPORT int32_t hp_unshare(uint32_t flags)
{
    return (int32_t)SYS1(unshare, (unsigned long)flags);
}

EXPORT int32_t hp_setns(int32_t fd, uint32_t flags)
{
    return (int32_t)SYS2(setns, fd, flags);
}

/* Three u32: real, effective, saved. */
EXPORT int32_t hp_getresuid(uint32_t *ids)
{
    return (int32_t)SYS3(getresuid, ids, ids + 1, ids + 2);
}

EXPORT int32_t hp_getresgid(uint32_t *ids)
{
    return (int32_t)SYS3(getresgid, ids, ids + 1, ids + 2);
}
