/*
 * Calls that wait for somebody else, each on a thread of its own that can be called back. The thread takes over the
 * credentials, the umask and the folder of the thread that starts it (the kernel copies them at clone(2)).
 */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "hallpass.h"

enum { INTERRUPT = 62, STACK = 64 * 1024 };

struct job {
    int32_t output;
    int32_t dirfd;
    uint32_t flags;
    uint32_t mode;
    uint8_t address[128];
    uint32_t address_length;
    int is_connect;
    char path[];
};

static void on_interrupt(int signal)
{
    (void)signal;
}

/* Without SA_RESTART: the call in the thread ends with EINTR. */
static void prepare_interrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(INTERRUPT, &action, NULL);
}

static void *run(void *argument)
{
    struct job *job = argument;
    int32_t words[2] = {(int32_t)SYS0(gettid), 0};
    SYS3(write, job->output, words, 4);
    words[1] = job->is_connect ? (int32_t)SYS3(connect, job->dirfd, job->address, job->address_length)
                               : (int32_t)SYS4(openat, job->dirfd, job->path, job->flags, job->mode);
    SYS3(write, job->output, words + 1, 4);
    SYS1(close, job->output);
    free(job);
    return NULL;
}

/* All signals but the interrupt are blocked in the thread: they belong to the program's own threads. */
static int start_thread(struct job *job)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_interrupt);
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigdelset(&all, INTERRUPT);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &attributes, run, job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

static int32_t start(struct job *job)
{
    int32_t fds[2];
    int32_t result = (int32_t)SYS2(pipe2, fds, O_CLOEXEC);
    if (result < 0) {
        free(job);
        return result;
    }
    job->output = fds[1];
    int error = start_thread(job);
    if (error == 0)
        return fds[0];
    SYS1(close, fds[0]);
    SYS1(close, fds[1]);
    free(job);
    return -error;
}

/*
 * Starts openat(2) and returns the read end of a pipe (the caller's), on which two i32 come: the thread's id at once,
 * the call's result when it has one. `dirfd` must stay open until then.
 */
EXPORT int32_t hp_blocking_open(int32_t dirfd, const char *base, uint32_t at, uint32_t flags, uint32_t mode)
{
    size_t length = strlen(base + at) + 1;
    struct job *job = calloc(1, sizeof *job + length);
    if (!job)
        return -ENOMEM;
    job->dirfd = dirfd;
    job->flags = flags;
    job->mode = mode;
    memcpy(job->path, base + at, length);
    return start(job);
}

/* The same for connect(2) on `fd`, which must stay open. */
EXPORT int32_t hp_blocking_connect(int32_t fd, const uint8_t *address, uint32_t length)
{
    struct job *job = calloc(1, sizeof *job + 1);
    if (!job)
        return -ENOMEM;
    if (length > sizeof job->address) {
        free(job);
        return -EINVAL;
    }
    job->dirfd = fd;
    job->is_connect = 1;
    job->address_length = length;
    memcpy(job->address, address, length);
    return start(job);
}

/* Makes the call of that thread end with EINTR; to be repeated until its result is there, for it may not have begun. */
EXPORT int32_t hp_blocking_interrupt(int32_t tid)
{
    return (int32_t)SYS3(tgkill, SYS0(getpid), tid, INTERRUPT);
}
