/* Sockets: descriptors over unix sockets, peers, and the calls the connect category carries out. */
#include <linux/errno.h>
#include <linux/uio.h>

#include "hallpass.h"

/*
 * The kernel's struct user_msghdr and cmsghdr (linux/socket.h is not exported to user space).
 *   msghdr: name 0, namelen 8, iov 16, iovlen 24, control 32, controllen 40, flags 48 = 56 bytes
 */
struct message {
    const void *name;
    int32_t name_length;
    struct iovec *parts;
    size_t part_count;
    void *control;
    size_t control_length;
    uint32_t flags;
};

struct control_header {
    size_t length;
    int32_t level;
    int32_t type;
};

enum { LEVEL_SOCKET = 1, RIGHTS = 1, MOST_FDS = 253, CLOEXEC_FDS = 0x40000000, NO_SIGPIPE = 0x4000 };

struct fd_message {
    struct control_header header;
    int32_t fds[MOST_FDS];
};

/* `type` with SOCK_CLOEXEC; the fd is the caller's. */
EXPORT int32_t hp_socket(int32_t domain, int32_t type, int32_t protocol)
{
    return (int32_t)SYS3(socket, domain, type, protocol);
}

EXPORT int32_t hp_socketpair(int32_t domain, int32_t type, int32_t *fds)
{
    return (int32_t)SYS4(socketpair, domain, type, 0, fds);
}

EXPORT int32_t hp_bind(int32_t fd, const uint8_t *base, uint32_t at, uint32_t length)
{
    return (int32_t)SYS3(bind, fd, base + at, length);
}

/* Blocks as the socket does. No retry on EINTR: the second connect would say EALREADY. */
EXPORT int32_t hp_connect(int32_t fd, const uint8_t *base, uint32_t at, uint32_t length)
{
    return (int32_t)SYS3(connect, fd, base + at, length);
}

EXPORT int32_t hp_sendto(int32_t fd, const uint8_t *bytes, uint32_t length, uint32_t flags, const uint8_t *address,
                         uint32_t address_length)
{
    return (int32_t)SYS6(sendto, fd, bytes, length, flags, address, address_length);
}

/* Sends bytes with copies of `fds` (SCM_RIGHTS); ours stay ours. */
EXPORT int32_t hp_sendmsg_fds(int32_t fd, const uint8_t *bytes, uint32_t length, const int32_t *fds, uint32_t fd_count,
                              uint32_t flags)
{
    if (fd_count > MOST_FDS)
        return -EINVAL;
    struct fd_message control = {{sizeof control.header + fd_count * sizeof *fds, LEVEL_SOCKET, RIGHTS}, {0}};
    for (uint32_t i = 0; i < fd_count; i++)
        control.fds[i] = fds[i];
    struct iovec part = {(void *)(uintptr_t)bytes, length};
    struct message message = {.parts = &part, .part_count = 1};
    if (fd_count) {
        message.control = &control;
        message.control_length = control.header.length;
    }
    return (int32_t)SYS3(sendmsg, fd, &message, flags | NO_SIGPIPE);
}

/* sendmsg(2) with an address and a ready control block (descriptors in it are ours, not the first caller's). */
EXPORT int32_t hp_sendmsg_control(int32_t fd, const uint8_t *bytes, uint32_t length, const uint8_t *address,
                                  uint32_t address_length, const uint8_t *control, uint32_t control_length,
                                  uint32_t flags)
{
    struct iovec part = {(void *)(uintptr_t)bytes, length};
    struct message message = {address, (int32_t)address_length, &part, 1, (void *)(uintptr_t)control, control_length,
                              0};
    return (int32_t)SYS3(sendmsg, fd, &message, flags);
}

/*
 * Receives bytes and descriptors (CLOEXEC, the caller's from now on): returns the byte count, fills `fds` and ends them
 * with -1, so `fds` holds fd_capacity + 1 numbers. Descriptors beyond the capacity are dropped by the kernel.
 */
EXPORT int32_t hp_recvmsg_fds(int32_t fd, uint8_t *bytes, uint32_t capacity, int32_t *fds, uint32_t fd_capacity,
                              uint32_t flags)
{
    if (fd_capacity > MOST_FDS)
        return -EINVAL;
    struct fd_message control;
    struct iovec part = {bytes, capacity};
    struct message message = {.parts = &part, .part_count = 1};
    message.control = &control;
    message.control_length = sizeof control.header + fd_capacity * sizeof *fds;
    control.header.length = 0;
    long result = SYS3(recvmsg, fd, &message, flags | CLOEXEC_FDS);
    fds[0] = -1;
    if (result < 0)
        return (int32_t)result;
    if (message.control_length < sizeof control.header || control.header.type != RIGHTS)
        return (int32_t)result;
    uint32_t count = (uint32_t)((control.header.length - sizeof control.header) / sizeof *fds);
    for (uint32_t i = 0; i < count; i++)
        fds[i] = control.fds[i];
    fds[count] = -1;
    return (int32_t)result;
}

/* An option that is an int, as the result (those used are never negative). */
EXPORT int32_t hp_getsockopt_int(int32_t fd, int32_t level, int32_t option)
{
    int32_t value = 0;
    int32_t length = sizeof value;
    long result = SYS5(getsockopt, fd, level, option, &value, &length);
    return result < 0 ? (int32_t)result : value;
}

/* Returns the option's length. */
EXPORT int32_t hp_getsockopt(int32_t fd, int32_t level, int32_t option, void *out, uint32_t capacity)
{
    int32_t length = (int32_t)capacity;
    long result = SYS5(getsockopt, fd, level, option, out, &length);
    return result < 0 ? (int32_t)result : length;
}

/* Returns the address's length, which may be more than `capacity`. */
EXPORT int32_t hp_getsockname(int32_t fd, uint8_t *out, uint32_t capacity)
{
    int32_t length = (int32_t)capacity;
    long result = SYS3(getsockname, fd, out, &length);
    return result < 0 ? (int32_t)result : length;
}

EXPORT int32_t hp_getpeername(int32_t fd, uint8_t *out, uint32_t capacity)
{
    int32_t length = (int32_t)capacity;
    long result = SYS3(getpeername, fd, out, &length);
    return result < 0 ? (int32_t)result : length;
}
