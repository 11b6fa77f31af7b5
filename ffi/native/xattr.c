/* Extended attributes and inode flags: xattr(7), file_setattr(2). Names end with NUL. */
#include "hallpass.h"

/* Follows symlinks; with /proc/self/fd/N it changes what an O_PATH fd holds. */
EXPORT int32_t hp_setxattr(const char *base, uint32_t at, const char *name, const void *value, uint32_t size,
                           uint32_t flags)
{
    return (int32_t)SYS5(setxattr, base + at, name, value, size, flags);
}

EXPORT int32_t hp_lsetxattr(const char *base, uint32_t at, const char *name, const void *value, uint32_t size,
                            uint32_t flags)
{
    return (int32_t)SYS5(lsetxattr, base + at, name, value, size, flags);
}

EXPORT int32_t hp_fsetxattr(int32_t fd, const char *name, const void *value, uint32_t size, uint32_t flags)
{
    return (int32_t)SYS5(fsetxattr, fd, name, value, size, flags);
}

/* setxattrat(2), 6.13. */
EXPORT int32_t hp_setxattrat(int32_t dirfd, const char *base, uint32_t at, uint32_t at_flags, const char *name,
                             const void *value, uint32_t size, uint32_t flags)
{
    struct hp_xattr_args arguments = {(uint64_t)(uintptr_t)value, size, flags};
    return (int32_t)SYS6(setxattrat, dirfd, base + at, at_flags, name, &arguments, sizeof arguments);
}

/* Size of the value; with size 0 only asks for it. */
EXPORT int32_t hp_getxattr(const char *base, uint32_t at, const char *name, void *value, uint32_t size)
{
    return (int32_t)SYS4(getxattr, base + at, name, value, size);
}

EXPORT int32_t hp_removexattr(const char *base, uint32_t at, const char *name)
{
    return (int32_t)SYS2(removexattr, base + at, name);
}

EXPORT int32_t hp_lremovexattr(const char *base, uint32_t at, const char *name)
{
    return (int32_t)SYS2(lremovexattr, base + at, name);
}

EXPORT int32_t hp_fremovexattr(int32_t fd, const char *name)
{
    return (int32_t)SYS2(fremovexattr, fd, name);
}

/* removexattrat(2), 6.13. */
EXPORT int32_t hp_removexattrat(int32_t dirfd, const char *base, uint32_t at, uint32_t at_flags, const char *name)
{
    return (int32_t)SYS4(removexattrat, dirfd, base + at, at_flags, name);
}

/* file_getattr(2), 6.17: fills struct file_attr (24 bytes). */
EXPORT int32_t hp_file_getattr(int32_t dirfd, const char *base, uint32_t at, void *attributes, uint32_t size,
                               uint32_t flags)
{
    return (int32_t)SYS5(file_getattr, dirfd, base + at, attributes, (unsigned long)size, flags);
}

/* file_setattr(2), 6.17. */
EXPORT int32_t hp_file_setattr(int32_t dirfd, const char *base, uint32_t at, const void *attributes, uint32_t size,
                               uint32_t flags)
{
    return (int32_t)SYS5(file_setattr, dirfd, base + at, attributes, (unsigned long)size, flags);
}
