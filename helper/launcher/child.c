/* From the fork to the exec of CMD. The order matters and is told at each step. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/signal.h>

#include "launcher.h"

enum { HIGH_FD = 400, CLOSE_RANGE_SETS_CLOEXEC = 4, LAST_SIGNAL = 64 };

static void fail(const struct launcher *launcher, enum stage stage, long error) __attribute__((noreturn));

static void fail(const struct launcher *launcher, enum stage stage, long error)
{
    launcher->handover->stage = (int32_t)stage;
    launcher->handover->error = (int32_t)-error;
    bare_exit(error == -ENOENT ? 127 : 126);
}

static void must(const struct launcher *launcher, enum stage stage, long result)
{
    if (result < 0)
        fail(launcher, stage, result);
}

/* Signals as hallpass was started with: neither Bun's handlers and mask nor our own. */
static void restore_signals(const struct launch_block *block)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } action = {0};
    for (uint32_t signal = 1; signal <= LAST_SIGNAL; signal++) {
        action.handler = block->ignored >> (signal - 1) & 1 ? (void *)1 : NULL;
        SYS4(rt_sigaction, signal, &action, NULL, sizeof action.mask);
    }
}

/*
 * The file-size limit may be lower than what we have written, and the descriptor limit lower than the numbers we hold:
 * so this comes after all that opens. A hard limit that is above ours cannot be had back without privilege; it was
 * never lowered (Bun raises soft limits only).
 */
static void restore_limits(const struct launcher *launcher)
{
    for (uint32_t resource = 0; resource < LIMIT_COUNT; resource++)
        must(launcher, STAGE_LIMITS, SYS4(prlimit64, 0, resource, launcher->block->limits[resource], NULL));
}

/* Landlock first: landlock_restrict_self needs no call the filter stops, but stays clear of its verdicts. */
static void enter_fence(const struct launcher *launcher)
{
    if (launcher->ruleset_fd >= 0)
        must(launcher, STAGE_FENCE, SYS2(landlock_restrict_self, launcher->ruleset_fd, 0));
}

/*
 * no_new_privs must be there before both. The listener's descriptor appears in the table that we share with the
 * launcher (CLONE_FILES), which copies it and says so: no call of ours that the filter might stop carries it over.
 */
static void enter_filter(const struct launcher *launcher)
{
    const struct launch_block *block = launcher->block;
    struct sock_fprog program = {
        (unsigned short)block->filter_count,
        (struct sock_filter *)(uintptr_t)block_at(launcher, block->filter_at),
    };
    long listener =
        SYS3(seccomp, SECCOMP_SET_MODE_FILTER, block->filter_flags | SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    must(launcher, STAGE_FILTER, listener);
    struct handover *handover = launcher->handover;
    set_and_wake(&handover->listener, (int32_t)listener + 1);
    while (!__atomic_load_n(&handover->taken, __ATOMIC_ACQUIRE))
        SYS4(futex, &handover->taken, FUTEX_WAIT, 0, NULL);
    must(launcher, STAGE_DESCRIPTORS, SYS1(unshare, CLONE_FILES));
    set_and_wake(&handover->parted, 1);
}

/* Everything of ours closes at the exec; the passed descriptors get their numbers, by way of high ones. */
static void place_descriptors(const struct launcher *launcher)
{
    const uint32_t *numbers = block_at(launcher, launcher->block->passed_at);
    uint32_t count = launcher->block->passed_count;
    int32_t high[MOST_PASSED];
    must(launcher, STAGE_DESCRIPTORS, SYS3(close_range, 3, ~0U, CLOSE_RANGE_SETS_CLOEXEC));
    for (uint32_t i = 0; i < count; i++) {
        high[i] = (int32_t)SYS3(fcntl, launcher->passed[i], F_DUPFD_CLOEXEC, HIGH_FD);
        must(launcher, STAGE_DESCRIPTORS, high[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        must(launcher, STAGE_DESCRIPTORS, SYS3(dup3, high[i], numbers[i], 0));
}

/* NUL-ended strings, one behind the other, as the vector that execve takes, with room for two more in front. */
static char **vector_of(const struct launcher *launcher, uint32_t at, uint32_t count)
{
    char **vector = bare_allocate((count + 3) * sizeof *vector);
    if (!vector)
        fail(launcher, STAGE_MEMORY, -ENOMEM);
    const char *text = block_at(launcher, at);
    for (uint32_t i = 0; i < count; i++) {
        vector[i + 2] = (char *)(uintptr_t)text;
        text += strlen(text) + 1;
    }
    return vector + 2;
}

/* A script without `#!` is the shell's, as with execvp(3). */
static long run_as_script(char *program, char **arguments, char **environment)
{
    static char shell[] = "/bin/sh";
    arguments[0] = program;
    arguments[-1] = shell;
    return SYS3(execve, shell, arguments - 1, environment);
}

void become_command(struct launcher *launcher)
{
    const struct launch_block *block = launcher->block;
    char *program = (char *)(uintptr_t)block_at(launcher, block->program_at);
    char **arguments = vector_of(launcher, block->arguments_at, block->argument_count);
    char **environment = vector_of(launcher, block->environment_at, block->environment_count);

    SYS2(setpgid, 0, 0);
    if (block->flags & LAUNCH_PTY)
        must(launcher, STAGE_TERMINAL, give_terminal(launcher, (int32_t)SYS0(getpid)));
    /* If the launcher dies alone nobody is left to answer: CMD goes with it. */
    SYS5(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    /* The supervisor reads our memory from the exec on, which the launcher's own setting would forbid. */
    SYS5(prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
    if (launcher->cwd_fd >= 0)
        must(launcher, STAGE_DESCRIPTORS, SYS1(fchdir, launcher->cwd_fd));
    SYS1(umask, block->umask);
    restore_signals(block);
    enter_inner_scope(launcher);
    enter_fence(launcher);
    enter_filter(launcher);
    place_descriptors(launcher);
    restore_limits(launcher);
    SYS4(rt_sigprocmask, SIG_SETMASK, &block->blocked, NULL, sizeof block->blocked);
    long error = SYS3(execve, program, arguments, environment);
    if (error == -ENOEXEC)
        error = run_as_script(program, arguments, environment);
    fail(launcher, STAGE_EXEC, error);
}
