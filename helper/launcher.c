/*
 * launcher: the parent of everything in the sandbox. Static, without a libc, started by hallpass with a unix socket as
 * fd 3 (launcher/protocol.h). It
 *   - makes itself the subreaper, so that no daemon of the target is lost, and undumpable, so that none looks into it;
 *   - starts CMD inside the fence and the filter, as hallpass itself was started, and hands the listener up;
 *   - reaps, reports and forwards;
 *   - ends everything within moments when the socket closes without a word: hallpass is lost;
 *   - or, released by hallpass, stays to answer EACCES until the last process has ended.
 */
#include <asm/ioctls.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/signalfd.h>

#include "launcher/launcher.h"

enum { WAIT_NOHANG = 1, WAIT_STOPPED = 2, WAIT_ALL = 0x40000000 };

static int32_t stop_signal_of(int32_t status)
{
    return (status & 0xff) == 0x7f ? status >> 8 & 0xff : 0;
}

/* Every signal is blocked and read as data; what may not be blocked needs no care. */
static long watch_signals(void)
{
    uint64_t all = ~0ULL;
    SYS4(rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
    return SYS4(signalfd4, -1, &all, sizeof all, SFD_CLOEXEC | SFD_NONBLOCK);
}

static struct handover *make_handover(void)
{
    long page = SYS6(mmap, NULL, sizeof(struct handover), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page < 0 && page > -4096 ? NULL : (struct handover *)page;
}

/*
 * The terminal for job control: the session's own, which we lead from now on, or the one hallpass has, if any. Either
 * way a process group of our own: a kill -9 of hallpass's whole group (timeout -s KILL) must leave us to end the rest.
 */
static long lead_terminal(struct launcher *launcher)
{
    launcher->home_group = (int32_t)SYS1(getpgid, 0);
    if (!(launcher->block->flags & LAUNCH_PTY)) {
        launcher->job_fd = (int32_t)SYS4(openat, AT_FDCWD, "/dev/tty", O_RDWR | O_CLOEXEC, 0);
        return SYS2(setpgid, 0, 0);
    }
    long result = SYS0(setsid);
    return result < 0 ? result : SYS3(ioctl, launcher->job_fd, TIOCSCTTY, 0);
}

/*
 * Pipes that CMD reads or writes must end when CMD's side ends, so the launcher keeps none of them, nor its own
 * standard streams. The listener stays.
 */
static void drop_descriptors(const struct launcher *launcher)
{
    for (uint32_t i = 0; i < launcher->block->passed_count; i++)
        SYS1(close, launcher->passed[i]);
    long null = SYS4(openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        SYS3(dup3, null, fd, 0);
    if (null > 2)
        SYS1(close, null);
    SYS1(close, launcher->ruleset_fd);
    SYS1(close, launcher->cwd_fd);
    SYS1(close, launcher->scope_fd);
}

/* Starts CMD and sends the listener up; returns 0, or -errno with the stage. */
static long start_command(struct launcher *launcher, enum stage *stage)
{
    *stage = STAGE_MEMORY;
    launcher->handover = make_handover();
    if (!launcher->handover)
        return -ENOMEM;
    *stage = STAGE_FORK;
    long pid = SYS5(clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0)
        return pid;
    if (pid == 0)
        become_command(launcher);
    launcher->command_pid = (int32_t)pid;
    /* Both sides do it: whoever comes first, the group is there before a signal is sent to it. */
    SYS2(setpgid, pid, pid);
    if (await_listener(launcher) < 0) {
        *stage = (enum stage)launcher->handover->stage;
        return launcher->handover->error ? -launcher->handover->error : -ECHILD;
    }
    send_report(REPORT_READY, launcher->command_pid, 0, (uint32_t)launcher->has_scope, launcher->listener_fd);
    /* A child that ends in between is reported as any end of CMD is. */
    part_tables(launcher);
    drop_descriptors(launcher);
    return 0;
}

static void report_command(struct launcher *launcher, int32_t status)
{
    const struct handover *handover = launcher->handover;
    if (stop_signal_of(status)) {
        if (answer_stop(launcher, stop_signal_of(status)))
            send_report(REPORT_STOPPED, launcher->command_pid, stop_signal_of(status), 0, -1);
        return;
    }
    launcher->has_ended = 1;
    if (launcher->has_lent)
        give_terminal(launcher, launcher->home_group);
    launcher->has_lent = 0;
    if (handover->error)
        send_report(REPORT_FAILED, launcher->command_pid, handover->error, (uint32_t)handover->stage, -1);
    else
        send_report(REPORT_ENDED, launcher->command_pid, status, count_left(), -1);
}

/* Reaps whoever has ended. Returns 1 when no child at all is left: as a subreaper that means nobody. */
static int reap(struct launcher *launcher)
{
    for (;;) {
        int32_t status = 0;
        long pid = SYS4(wait4, -1, &status, WAIT_NOHANG | WAIT_STOPPED | WAIT_ALL, NULL);
        if (pid == launcher->command_pid && !launcher->has_ended)
            report_command(launcher, status);
        else if (pid > 0 && !stop_signal_of(status))
            send_report(REPORT_REAPED, (int32_t)pid, status, 0, -1);
        if (pid == -ECHILD)
            return 1;
        if (pid <= 0)
            return 0;
    }
}

/*
 * Signals that reach the launcher itself. hallpass forwards what it gets, so only these concern us: the pty hangs up
 * (its session's leader is told, and nobody else) and, with hallpass gone, a wish to end.
 */
static void answer_signal(struct launcher *launcher, uint32_t signal)
{
    int has_pty = launcher->block->flags & LAUNCH_PTY;
    if (signal == SIGHUP && has_pty && !launcher->is_released && !launcher->has_ended)
        SYS2(kill, -launcher->command_pid, SIGHUP);
    if (signal == SIGTERM && launcher->is_released)
        kill_everything(launcher);
}

/* SIGCHLD only wakes the loop, which reaps on every turn. */
static void read_signals(struct launcher *launcher)
{
    struct signalfd_siginfo info;
    while (SYS3(read, launcher->signal_fd, &info, sizeof info) == sizeof info)
        answer_signal(launcher, info.ssi_signo);
}

static void obey(struct launcher *launcher, const struct command *command)
{
    switch (command->kind) {
    case COMMAND_SIGNAL:
        if (!launcher->has_ended)
            SYS2(kill, launcher->command_pid, command->signal);
        break;
    case COMMAND_SIGNAL_GROUP:
        if (!launcher->has_ended)
            SYS2(kill, -launcher->command_pid, command->signal);
        break;
    case COMMAND_CONTINUE:
        continue_command(launcher);
        break;
    case COMMAND_RELEASE:
        launcher->is_released = 1;
        break;
    case COMMAND_KILL:
        kill_everything(launcher);
        break;
    }
}

/* Returns 1 when hallpass is lost: the socket ended and no release came. */
static int read_commands(struct launcher *launcher)
{
    struct command command;
    long got = SYS6(recvfrom, SOCKET_FD, &command, sizeof command, 0x40 /* MSG_DONTWAIT */, NULL, NULL);
    if (got == sizeof command) {
        obey(launcher, &command);
        return 0;
    }
    return got != -EAGAIN && got != -EINTR;
}

/*
 * hallpass is lost. Its terminal first, before the shell it was started from hears of the death and prompts on it: the
 * relay's descriptor is non-blocking, so that no write to it can hold up the rest.
 */
static void end_all(const struct launcher *launcher)
{
    rescue_modes(launcher);
    rescue_screen(launcher);
    kill_everything(launcher);
}

/* Runs until the sandbox is empty and nobody waits to hear more. */
static void serve(struct launcher *launcher)
{
    int is_connected = 1;
    int is_empty = reap(launcher);
    int has_told = 0;
    while (!(is_empty && (launcher->is_released || !is_connected))) {
        if (is_empty && !has_told) {
            send_report(REPORT_GONE, 0, 0, 0, -1);
            has_told = 1;
        }
        struct pollfd fds[3] = {
            {.fd = launcher->signal_fd, .events = POLLIN},
            {.fd = is_connected ? SOCKET_FD : -1, .events = POLLIN},
            {.fd = launcher->is_released ? launcher->listener_fd : -1, .events = POLLIN},
        };
        if (SYS5(ppoll, fds, 3, NULL, NULL, 8) < 0)
            continue;
        if (fds[2].revents & POLLIN)
            refuse_call(launcher);
        /* The listener has no task left: poll would say so for ever. */
        else if (fds[2].revents)
            launcher->listener_fd = -1;
        if (fds[1].revents && read_commands(launcher)) {
            is_connected = 0;
            if (!launcher->is_released)
                end_all(launcher);
        }
        if (fds[0].revents)
            read_signals(launcher);
        is_empty = reap(launcher);
    }
}

int bare_main(int count, char **arguments, char **environment)
{
    (void)count;
    (void)arguments;
    (void)environment;
    struct launcher launcher;
    memset(&launcher, 0, sizeof launcher);
    SYS5(prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
    SYS5(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    launcher.signal_fd = (int32_t)watch_signals();
    enum stage stage = STAGE_NONE;
    long result = receive_block(&launcher, &stage);
    if (result == 0) {
        stage = STAGE_TERMINAL;
        result = lead_terminal(&launcher);
    }
    if (result == 0) {
        SYS5(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        enter_scope(&launcher);
        result = start_command(&launcher, &stage);
    }
    if (result < 0) {
        send_report(REPORT_FAILED, launcher.command_pid, (int32_t)-result, (uint32_t)stage, -1);
        return 125;
    }
    serve(&launcher);
    return 0;
}
