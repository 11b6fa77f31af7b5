/*
 * Calls that name a file. No retry on EINTR here: where an open blocks (a FIFO), whoever called decides whether to go
 * on. `dirfd` AT_FDCWD is the calling thread's own working directory.
 */
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "hallpass.h"

/* Returns a new fd that the caller owns. */
EXPORT int32_t hp_openat(int32_t dirfd, const char *base, uint32_t at, uint32_t flags, uint32_t mode)
{
    return (int32_t)SYS4(openat, dirfd, base + at, flags, mode);
}

/* openat2(2), 5.6: unlike openat it refuses unknown flags, and a mode without O_CREAT or O_TMPFILE (EINVAL). */
EXPORT int32_t hp_openat2(int32_t dirfd, const char *base, uint32_t at, uint32_t flags_low, uint32_t flags_high,
                          uint32_t mode, uint32_t resolve)
{
    struct open_how how = {join64(flags_low, flags_high), mode, resolve};
    return (int32_t)SYS4(openat2, dirfd, base + at, &how, sizeof how);
}

/* Length of the link's text, cut off at `capacity`, with no NUL. An empty path reads the link that `dirfd` is. */
EXPORT int32_t hp_readlinkat(int32_t dirfd, const char *base, uint32_t at, uint8_t *out, uint32_t out_at,
                             uint32_t capacity)
{
    return (int32_t)SYS4(readlinkat, dirfd, base + at, out + out_at, capacity);
}

/* Fills struct statx (256 bytes; offsets in statx.ts). */
EXPORT int32_t hp_statx(int32_t dirfd, const char *base, uint32_t at, uint32_t flags, uint32_t mask, void *out)
{
    return (int32_t)SYS5(statx, dirfd, base + at, flags, mask, out);
}

EXPORT int32_t hp_faccessat2(int32_t dirfd, const char *base, uint32_t at, uint32_t mode, uint32_t flags)
{
    return (int32_t)SYS4(faccessat2, dirfd, base + at, mode, flags);
}

EXPORT int32_t hp_mkdirat(int32_t dirfd, const char *base, uint32_t at, uint32_t mode)
{
    return (int32_t)SYS3(mkdirat, dirfd, base + at, mode);
}

/* `device` in the kernel's 32-bit encoding, as mknod(2) takes it in a register. */
EXPORT int32_t hp_mknodat(int32_t dirfd, const char *base, uint32_t at, uint32_t mode, uint32_t device)
{
    return (int32_t)SYS4(mknodat, dirfd, base + at, mode, device);
}

EXPORT int32_t hp_unlinkat(int32_t dirfd, const char *base, uint32_t at, uint32_t flags)
{
    return (int32_t)SYS3(unlinkat, dirfd, base + at, flags);
}

EXPORT int32_t hp_symlinkat(const char *target, uint32_t target_at, int32_t dirfd, const char *base, uint32_t at)
{
    return (int32_t)SYS3(symlinkat, target + target_at, dirfd, base + at);
}

/* With AT_EMPTY_PATH and an empty `from` the object is `from_dirfd` itself (CAP_DAC_READ_SEARCH, or 6.10 the opener).
 */
EXPORT int32_t hp_linkat(int32_t from_dirfd, const char *from, uint32_t from_at, int32_t to_dirfd, const char *to,
                         uint32_t to_at, uint32_t flags)
{
    return (int32_t)SYS5(linkat, from_dirfd, from + from_at, to_dirfd, to + to_at, flags);
}

EXPORT int32_t hp_renameat2(int32_t from_dirfd, const char *from, uint32_t from_at, int32_t to_dirfd, const char *to,
                            uint32_t to_at, uint32_t flags)
{
    return (int32_t)SYS5(renameat2, from_dirfd, from + from_at, to_dirfd, to + to_at, flags);
}

EXPORT int32_t hp_truncate(const char *base, uint32_t at, uint32_t length_low, uint32_t length_high)
{
    return (int32_t)SYS2(truncate, base + at, join64(length_low, length_high));
}

/* Follows symlinks; with /proc/self/fd/N it changes the object that an O_PATH fd holds. */
EXPORT int32_t hp_chmod(const char *base, uint32_t at, uint32_t mode)
{
    return (int32_t)SYS3(fchmodat, AT_FDCWD, base + at, mode);
}

/* EBADF on an O_PATH fd. */
EXPORT int32_t hp_fchmod(int32_t fd, uint32_t mode)
{
    return (int32_t)SYS2(fchmod, fd, mode);
}

/* fchmodat2(2), 6.6. */
EXPORT int32_t hp_fchmodat2(int32_t dirfd, const char *base, uint32_t at, uint32_t mode, uint32_t flags)
{
    return (int32_t)SYS4(fchmodat2, dirfd, base + at, mode, flags);
}

EXPORT int32_t hp_fchownat(int32_t dirfd, const char *base, uint32_t at, uint32_t uid, uint32_t gid, uint32_t flags)
{
    return (int32_t)SYS5(fchownat, dirfd, base + at, uid, gid, flags);
}

/* `times`: two struct timespec (32 bytes), or NULL for now. */
EXPORT int32_t hp_utimensat(int32_t dirfd, const char *base, uint32_t at, const void *times, uint32_t flags)
{
    return (int32_t)SYS4(utimensat, dirfd, base + at, times, flags);
}

/* The object of an ordinary fd; EBADF on O_PATH. */
EXPORT int32_t hp_futimens(int32_t fd, const void *times)
{
    return (int32_t)SYS4(utimensat, fd, NULL, times, 0);
}

/* The whole process's working directory, or after unshare(CLONE_FS) the calling thread's alone. */
EXPORT int32_t hp_fchdir(int32_t fd)
{
    return (int32_t)SYS1(fchdir, fd);
}

EXPORT int32_t hp_chroot(const char *base, uint32_t at)
{
    return (int32_t)SYS1(chroot, base + at);
}
