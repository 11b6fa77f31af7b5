/* The listener of a seccomp user-notification filter: seccomp_unotify(2). */
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/ioctl.h>
#include <linux/poll.h>
#include <linux/seccomp.h>
#include <linux/time_types.h>

#include "hallpass.h"

/*
 * Blocks until a call is trapped. ENOENT: the caller died between trap and receipt, or (6.11 on) the last task is gone.
 * Fills 80 bytes: id 0, pid 8, flags 12, nr 16, arch 20, instruction pointer 24, args 32. The kernel refuses a buffer
 * that is not zeroed (EINVAL), hence the memset.
 */
EXPORT int32_t hp_seccomp_receive(int32_t listener, void *notification)
{
    long result;
    do {
        __builtin_memset(notification, 0, sizeof(struct seccomp_notif));
        result = SYS3(ioctl, listener, SECCOMP_IOCTL_NOTIF_RECV, notification);
    } while (result == -EINTR);
    return (int32_t)result;
}

/*
 * Blocks until the listener or `wake` (may be -1) has something: bit 0 a notification, bit 1 no task is left in the
 * filter, bit 2 `wake` is readable; 0 on time-out. A negative time-out waits for ever.
 */
EXPORT int32_t hp_seccomp_wait(int32_t listener, int32_t wake, int32_t timeout_ms)
{
    struct pollfd fds[2] = {{.fd = listener, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    struct __kernel_timespec limit = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    long result;
    do {
        result = SYS5(ppoll, fds, 2, timeout_ms < 0 ? NULL : &limit, NULL, 8);
    } while (result == -EINTR);
    if (result < 0)
        return (int32_t)result;
    return (fds[0].revents & POLLIN ? 1 : 0) | (fds[0].revents & (POLLHUP | POLLERR) ? 2 : 0) |
           (fds[1].revents ? 4 : 0);
}

/*
 * Answers a notification. `error` is 0 or -errno as the caller shall see it; `flags` 1 continues the call. ENOENT: the
 * caller is gone; EINPROGRESS: it was answered already. Any thread may send.
 */
EXPORT int32_t hp_seccomp_send(int32_t listener, uint32_t id_low, uint32_t id_high, int32_t error, int32_t value,
                               uint32_t flags)
{
    struct seccomp_notif_resp response = {join64(id_low, id_high), value, error, flags};
    long result;
    do {
        result = SYS3(ioctl, listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    } while (result == -EINTR);
    return (int32_t)result;
}

/*
 * Puts a copy of `fd` into the caller's descriptor table and returns its number there; with SECCOMP_ADDFD_FLAG_SEND
 * (5.14) it answers the call with it at once. The kernel keeps its own reference; `fd` stays ours. EMFILE: the caller
 * is at its limit. No retry on EINTR: the fd may be in place already, which only the caller of this can judge.
 */
EXPORT int32_t hp_seccomp_addfd(int32_t listener, uint32_t id_low, uint32_t id_high, uint32_t flags, int32_t fd,
                                uint32_t new_fd, uint32_t new_fd_flags)
{
    struct seccomp_notif_addfd request = {join64(id_low, id_high), flags, (uint32_t)fd, new_fd, new_fd_flags};
    return (int32_t)SYS3(ioctl, listener, SECCOMP_IOCTL_NOTIF_ADDFD, &request);
}

/* 0 while the notification waits for its answer, else -ENOENT: what was read of its caller meant another process. */
EXPORT int32_t hp_seccomp_id_valid(int32_t listener, uint32_t id_low, uint32_t id_high)
{
    uint64_t id = join64(id_low, id_high);
    return (int32_t)SYS3(ioctl, listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id);
}

/* SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (6.6); -EINVAL or -ENOTTY before. */
EXPORT int32_t hp_seccomp_set_flags(int32_t listener, uint32_t flags)
{
    return (int32_t)SYS3(ioctl, listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, (unsigned long)flags);
}

/*
 * 1 if seccomp(SECCOMP_SET_MODE_FILTER) knows all `flags`, else 0: without a program it looks at the flags first and
 * says EFAULT only where they are good. WAIT_KILLABLE_RECV is good only together with NEW_LISTENER.
 */
EXPORT int32_t hp_seccomp_knows_filter_flags(uint32_t flags)
{
    return SYS3(seccomp, SECCOMP_SET_MODE_FILTER, flags, NULL) == -EFAULT;
}

/* struct seccomp_notif_sizes: three u16, of seccomp_notif, seccomp_notif_resp and seccomp_data. */
EXPORT int32_t hp_seccomp_notification_sizes(void *sizes)
{
    return (int32_t)SYS3(seccomp, SECCOMP_GET_NOTIF_SIZES, 0, sizes);
}

/* Installs a filter on the calling thread (tests and probes); with NEW_LISTENER the result is the listener's fd. */
EXPORT int32_t hp_seccomp_set_filter(const void *instructions, uint32_t count, uint32_t flags)
{
    struct sock_fprog program = {(unsigned short)count, (struct sock_filter *)(uintptr_t)instructions};
    return (int32_t)SYS3(seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}
