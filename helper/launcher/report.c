/* Reports to the supervisor. One that cannot be sent is of no use to anybody: the loop sees the closed socket itself.
 */
#include <linux/errno.h>
#include <linux/uio.h>

#include "launcher.h"

struct user_message {
    void *name;
    int32_t name_length;
    struct iovec *parts;
    size_t part_count;
    void *control;
    size_t control_length;
    uint32_t flags;
};

struct one_fd {
    size_t length;
    int32_t level;
    int32_t type;
    int32_t fd;
    int32_t padding;
};

enum { LEVEL_SOCKET = 1, RIGHTS = 1, NO_SIGNAL = 0x4000, DO_NOT_WAIT = 0x40 };

void send_report(uint32_t kind, int32_t pid, int32_t status, uint32_t extra, int32_t fd)
{
    struct report report = {kind, pid, status, extra};
    struct iovec part = {&report, sizeof report};
    struct one_fd control = {offsetof(struct one_fd, padding), LEVEL_SOCKET, RIGHTS, fd, 0};
    struct user_message message = {.parts = &part, .part_count = 1};
    if (fd >= 0) {
        message.control = &control;
        message.control_length = sizeof control;
    }
    uint32_t flags = kind == REPORT_REAPED ? NO_SIGNAL | DO_NOT_WAIT : NO_SIGNAL;
    long result;
    do {
        result = SYS3(sendmsg, SOCKET_FD, &message, flags);
    } while (result == -EINTR);
}
