/* Looking into and signalling other processes. */
#include <linux/errno.h>
#include <linux/uio.h>

#include "hallpass.h"

enum { SMALLEST_PAGE = 4096 };

static long read_remote(int32_t pid, uint64_t address, uint8_t *out, uint32_t length)
{
    struct iovec local = {out, length};
    struct iovec remote = {(void *)(uintptr_t)address, length};
    return SYS6(process_vm_readv, pid, &local, 1, &remote, 1, 0);
}

/*
 * process_vm_readv(2): returns how many bytes were readable from the start, EFAULT if none, ESRCH if the process is
 * gone, EPERM if it may not be looked at (not dumpable, Yama).
 */
EXPORT int32_t hp_process_read(int32_t pid, uint32_t address_low, uint32_t address_high, uint8_t *base, uint32_t at,
                               uint32_t length)
{
    return (int32_t)read_remote(pid, join64(address_low, address_high), base + at, length);
}

/*
 * A string of the process: its length without the NUL, which is copied too. ENAMETOOLONG if there is no NUL within
 * `capacity`, EFAULT if memory ends first. Reads to the end of the page and only then on, so that a string just before
 * unmapped memory is read; the second look may see other bytes than the first, as the kernel's own would.
 */
EXPORT int32_t hp_process_read_string(int32_t pid, uint32_t address_low, uint32_t address_high, uint8_t *base,
                                      uint32_t at, uint32_t capacity)
{
    uint64_t address = join64(address_low, address_high);
    uint8_t *out = base + at;
    uint32_t length = 0;
    while (length < capacity) {
        uint32_t piece = SMALLEST_PAGE - (uint32_t)((address + length) % SMALLEST_PAGE);
        if (piece > capacity - length)
            piece = capacity - length;
        long got = read_remote(pid, address + length, out + length, piece);
        if (got < 0)
            return (int32_t)got;
        const uint8_t *end = got == 0 ? NULL : __builtin_memchr(out + length, 0, (size_t)got);
        if (end)
            return (int32_t)(end - out);
        if ((uint32_t)got < piece)
            return -EFAULT;
        length += (uint32_t)got;
    }
    return -ENAMETOOLONG;
}

/* process_vm_writev(2): only to hand back what a carried-out call returns in memory. */
EXPORT int32_t hp_process_write(int32_t pid, uint32_t address_low, uint32_t address_high, const uint8_t *base,
                                uint32_t at, uint32_t length)
{
    struct iovec local = {(void *)(uintptr_t)(base + at), length};
    struct iovec remote = {(void *)(uintptr_t)join64(address_low, address_high), length};
    return (int32_t)SYS6(process_vm_writev, pid, &local, 1, &remote, 1, 0);
}

/* The fd is CLOEXEC by itself; PIDFD_THREAD (6.9) as flag for a thread. */
EXPORT int32_t hp_pidfd_open(int32_t pid, uint32_t flags)
{
    return (int32_t)SYS2(pidfd_open, pid, flags);
}

/* A copy (CLOEXEC) of the process's fd that the caller owns; needs the right to ptrace it. */
EXPORT int32_t hp_pidfd_getfd(int32_t pidfd, int32_t fd)
{
    return (int32_t)SYS3(pidfd_getfd, pidfd, fd, 0);
}

EXPORT int32_t hp_pidfd_send_signal(int32_t pidfd, int32_t signal)
{
    return (int32_t)SYS4(pidfd_send_signal, pidfd, signal, NULL, 0);
}

EXPORT int32_t hp_kill(int32_t pid, int32_t signal)
{
    return (int32_t)SYS2(kill, pid, signal);
}

EXPORT int32_t hp_tgkill(int32_t pid, int32_t tid, int32_t signal)
{
    return (int32_t)SYS3(tgkill, pid, tid, signal);
}

EXPORT int32_t hp_getpgid(int32_t pid)
{
    return (int32_t)SYS1(getpgid, pid);
}

EXPORT int32_t hp_getsid(int32_t pid)
{
    return (int32_t)SYS1(getsid, pid);
}

EXPORT int32_t hp_gettid(void)
{
    return (int32_t)SYS0(gettid);
}

/* kcmp(2): 0 the same object, 1 or 2 another, 3 not comparable. ENOSYS in kernels without CONFIG_KCMP. */
EXPORT int32_t hp_kcmp(int32_t pid1, int32_t pid2, int32_t type, uint32_t index1, uint32_t index2)
{
    return (int32_t)SYS5(kcmp, pid1, pid2, type, (unsigned long)index1, (unsigned long)index2);
}

EXPORT int32_t hp_prctl(int32_t option, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (int32_t)SYS5(prctl, option, (unsigned long)a, (unsigned long)b, (unsigned long)c, (unsigned long)d);
}

/* struct rlimit64: soft 0, hard 8. Either pointer may be NULL. */
EXPORT int32_t hp_prlimit(int32_t pid, uint32_t resource, const void *new_limit, void *old_limit)
{
    return (int32_t)SYS4(prlimit64, pid, resource, new_limit, old_limit);
}
