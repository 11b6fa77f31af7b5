/* The launcher's copy of the listener: taken from the child's shared table, used only when hallpass has gone. */
#include <linux/errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <linux/time_types.h>

#include "launcher.h"

enum { WAIT_NOHANG = 1, WAIT_KEEP = 0x01000000, CHILD_BY_PID = 1, EXITED = 4 };

/* True if the child has ended; it is left for the loop to reap. */
static int has_died(int32_t pid)
{
    struct {
        int32_t words[32];
    } info = {{0}};
    return SYS5(waitid, CHILD_BY_PID, pid, &info, EXITED | WAIT_NOHANG | WAIT_KEEP, NULL) == 0 && info.words[0] != 0;
}

/* The word's value once it is not 0, or -ECHILD where the child ended before. */
static long await_word(const struct launcher *launcher, const int32_t *word)
{
    struct __kernel_timespec limit = {0, 50000000};
    int32_t value;
    while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) == 0) {
        if (has_died(launcher->command_pid))
            return -ECHILD;
        SYS4(futex, word, FUTEX_WAIT, 0, &limit);
    }
    return value;
}

void set_and_wake(int32_t *word, int32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    SYS4(futex, word, FUTEX_WAKE, 1, NULL);
}

/* Waits until the child has installed the filter: 0, or -ECHILD where it failed before. */
long await_listener(struct launcher *launcher)
{
    long number = await_word(launcher, &launcher->handover->listener);
    if (number < 0)
        return number;
    launcher->listener_fd = (int32_t)number - 1;
    return 0;
}

/* Lets the child go on, and returns when what we close is closed for us alone. */
long part_tables(struct launcher *launcher)
{
    set_and_wake(&launcher->handover->taken, 1);
    return await_word(launcher, &launcher->handover->parted);
}

/* Takes one notification and answers EACCES; nothing of it is looked at. */
void refuse_call(const struct launcher *launcher)
{
    struct seccomp_notif notification;
    memset(&notification, 0, sizeof notification);
    if (SYS3(ioctl, launcher->listener_fd, SECCOMP_IOCTL_NOTIF_RECV, &notification) < 0)
        return;
    struct seccomp_notif_resp response = {notification.id, 0, -EACCES, 0};
    SYS3(ioctl, launcher->listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &response);
}
