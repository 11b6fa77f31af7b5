/* Receiving the launch block. It comes from hallpass itself; what is checked is that both sides mean the same thing. */
#include <linux/errno.h>
#include <linux/mman.h>
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

enum { FIXED_FDS = 6, CLOEXEC_FDS = 0x40000000, LEVEL_SOCKET = 1, RIGHTS = 1 };

struct fd_message {
    size_t length;
    int32_t level;
    int32_t type;
    int32_t fds[FIXED_FDS + MOST_PASSED];
};

/* How many descriptors came, or -errno. */
static long receive_fds(struct fd_message *control)
{
    char byte;
    struct iovec part = {&byte, 1};
    struct user_message message = {
        .parts = &part, .part_count = 1, .control = control, .control_length = sizeof *control};
    long got;
    do {
        got = SYS3(recvmsg, SOCKET_FD, &message, CLOEXEC_FDS);
    } while (got == -EINTR);
    if (got < 0)
        return got;
    if (got == 0 || message.control_length < offsetof(struct fd_message, fds) || control->level != LEVEL_SOCKET ||
        control->type != RIGHTS)
        return -EBADMSG;
    return (long)((control->length - offsetof(struct fd_message, fds)) / sizeof(int32_t));
}

static long map_block(struct launcher *launcher, int32_t fd)
{
    struct launch_block head;
    if (SYS4(pread64, fd, &head, sizeof head, 0) != sizeof head || head.magic != LAUNCH_MAGIC)
        return -EBADMSG;
    long address = SYS6(mmap, NULL, head.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address < 0 && address > -4096)
        return address;
    launcher->block = (const struct launch_block *)address;
    SYS1(close, fd);
    return 0;
}

const void *block_at(const struct launcher *launcher, uint32_t offset)
{
    return (const char *)launcher->block + offset;
}

long receive_block(struct launcher *launcher, enum stage *stage)
{
    struct fd_message control;
    *stage = STAGE_RECEIVE;
    long count = receive_fds(&control);
    if (count < 1)
        return count < 0 ? count : -EBADMSG;
    *stage = STAGE_BLOCK;
    long mapped = map_block(launcher, control.fds[0]);
    if (mapped < 0)
        return mapped;
    uint32_t flags = launcher->block->flags;
    uint32_t next = 1;
    launcher->cwd_fd = flags & LAUNCH_CWD ? control.fds[next++] : -1;
    launcher->ruleset_fd = flags & LAUNCH_FENCE ? control.fds[next++] : -1;
    launcher->terminal_fd = flags & LAUNCH_TERMINAL ? control.fds[next++] : -1;
    launcher->job_fd = flags & LAUNCH_PTY ? control.fds[next++] : -1;
    launcher->testament_fd = flags & LAUNCH_TESTAMENT ? control.fds[next++] : -1;
    if (launcher->block->passed_count > MOST_PASSED || next + launcher->block->passed_count != (uint32_t)count)
        return -EBADMSG;
    for (uint32_t i = 0; i < launcher->block->passed_count; i++)
        launcher->passed[i] = control.fds[next + i];
    return 0;
}
