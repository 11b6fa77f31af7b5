/* Job control, and setting the user's terminal right when hallpass cannot do it any more. */
#include <asm/ioctls.h>
#include <linux/errno.h>
#include <linux/signal.h>

#include "launcher.h"

/* Makes `group` the foreground of the controlling terminal. SIGTTOU is blocked in the launcher and before the exec. */
long give_terminal(const struct launcher *launcher, int32_t group)
{
    return SYS3(ioctl, launcher->job_fd, TIOCSPGRP, &group);
}

static int has_foreground(const struct launcher *launcher)
{
    int32_t group = 0;
    return SYS3(ioctl, launcher->job_fd, TIOCGPGRP, &group) == 0 && group == launcher->home_group;
}

static void continue_group(const struct launcher *launcher)
{
    SYS2(kill, -launcher->command_pid, SIGCONT);
}

/* CMD goes on: with the terminal, where there is one to give. */
void continue_command(struct launcher *launcher)
{
    if (launcher->job_fd >= 0 && (launcher->block->flags & LAUNCH_PTY || has_foreground(launcher))) {
        give_terminal(launcher, launcher->command_pid);
        launcher->has_lent = !(launcher->block->flags & LAUNCH_PTY);
    }
    continue_group(launcher);
}

/*
 * CMD has stopped; returns whether hallpass has to stop too. Without a pty it may only want the terminal that
 * hallpass's own group has, which it then gets; else the terminal is taken back, as sudo does it.
 */
int answer_stop(struct launcher *launcher, int signal)
{
    if (launcher->block->flags & LAUNCH_PTY || launcher->job_fd < 0)
        return 1;
    if ((signal == SIGTTIN || signal == SIGTTOU) && has_foreground(launcher)) {
        continue_command(launcher);
        return 0;
    }
    if (launcher->has_lent)
        give_terminal(launcher, launcher->home_group);
    return 1;
}

void rescue_modes(const struct launcher *launcher)
{
    if (launcher->has_lent)
        give_terminal(launcher, launcher->home_group);
    if (launcher->terminal_fd >= 0)
        SYS3(ioctl, launcher->terminal_fd, TCSETS, block_at(launcher, launcher->block->termios_at));
}

/* src/relay/testament.ts: u32 length of the text, 44 bytes of termios, the text. The relay keeps it up to date. */
enum { TESTAMENT_HEAD = 48, LONGEST_TESTAMENT = 4096 };

static void write_testament(const struct launcher *launcher)
{
    static char record[TESTAMENT_HEAD + LONGEST_TESTAMENT];
    uint32_t length;
    long got = SYS4(pread64, launcher->testament_fd, record, sizeof record, 0);
    if (got < TESTAMENT_HEAD)
        return;
    memcpy(&length, record, sizeof length);
    if (length <= (unsigned long)got - TESTAMENT_HEAD)
        SYS3(write, launcher->terminal_fd, record + TESTAMENT_HEAD, length);
}

void rescue_screen(const struct launcher *launcher)
{
    const struct launch_block *block = launcher->block;
    if (launcher->terminal_fd < 0)
        return;
    if (launcher->testament_fd >= 0)
        write_testament(launcher);
    else
        SYS3(write, launcher->terminal_fd, block_at(launcher, block->reset_at), block->reset_length);
}
