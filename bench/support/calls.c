/*
 * calls: makes one kind of call again and again and prints the median time of one, in nanoseconds.
 *
 *   calls KIND PATH COUNT [BATCHES]
 *
 *   write-open     open(PATH, O_WRONLY), close
 *   rewrite        open(PATH, O_WRONLY|O_CREAT|O_TRUNC), close, of a file that is there: what a shell's > does
 *   read-open      open(PATH, O_RDONLY), close (what hallpass never stops)
 *   stat           stat(PATH)
 *   denied         open(PATH, O_WRONLY), which must fail with EACCES
 *   create         open(PATH.new, O_CREAT|O_EXCL|O_WRONLY), close, and unlink, of which only the first two are timed
 *   create-unlink  the same with the unlink
 *   rename         rename(PATH, PATH.new) and back; the time of one
 *   exec           fork, execve(PATH), wait
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *path;
static char other[4100];
static double excluded;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "calls: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void open_and_close(const char *name, int flags)
{
    int fd = open(name, flags | O_CLOEXEC, 0644);
    if (fd < 0)
        die("open");
    close(fd);
}

static void write_open(void)
{
    open_and_close(path, O_WRONLY);
}

static void rewrite(void)
{
    open_and_close(path, O_WRONLY | O_CREAT | O_TRUNC);
}

static void read_open(void)
{
    open_and_close(path, O_RDONLY);
}

static void look(void)
{
    struct stat status;
    if (stat(path, &status) != 0)
        die("stat");
}

static void denied(void)
{
    if (open(path, O_WRONLY | O_CLOEXEC) >= 0 || errno != EACCES)
        die("open was not denied");
}

static void create_unlink(void)
{
    open_and_close(other, O_WRONLY | O_CREAT | O_EXCL);
    if (unlink(other) != 0)
        die("unlink");
}

static void create(void)
{
    open_and_close(other, O_WRONLY | O_CREAT | O_EXCL);
    double began = now();
    if (unlink(other) != 0)
        die("unlink");
    excluded += now() - began;
}

static void rename_there_and_back(void)
{
    if (rename(path, other) != 0 || rename(other, path) != 0)
        die("rename");
}

static void exec_and_wait(void)
{
    extern char **environ;
    char *arguments[] = {(char *)path, NULL};
    pid_t pid;
    int status;
    errno = posix_spawn(&pid, path, NULL, NULL, arguments, environ);
    if (errno != 0)
        die("spawn");
    if (waitpid(pid, &status, 0) != pid || status != 0)
        die("wait");
}

static const struct kind {
    const char *name;
    void (*call)(void);
    int calls;
} kinds[] = {
    {"write-open", write_open, 1},
    {"rewrite", rewrite, 1},
    {"read-open", read_open, 1},
    {"stat", look, 1},
    {"denied", denied, 1},
    {"create", create, 1},
    {"create-unlink", create_unlink, 1},
    {"rename", rename_there_and_back, 2},
    {"exec", exec_and_wait, 1},
};

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: calls KIND PATH COUNT [BATCHES]\n");
        return 2;
    }
    path = argv[2];
    snprintf(other, sizeof(other), "%s.new", path);
    long count = atol(argv[3]), batches = argc > 4 ? atol(argv[4]) : 9;
    const struct kind *kind = NULL;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, argv[1]) == 0)
            kind = &kinds[i];
    if (kind == NULL || count < 1 || batches < 1)
        return 2;
    double *times = calloc((size_t)batches, sizeof(double));
    if (times == NULL)
        die("calloc");
    for (long i = 0; i < count / 4 + 1; i++)
        kind->call();
    for (long batch = 0; batch < batches; batch++) {
        excluded = 0;
        double began = now();
        for (long i = 0; i < count; i++)
            kind->call();
        times[batch] = (now() - began - excluded) / ((double)count * kind->calls);
    }
    qsort(times, (size_t)batches, sizeof(double), by_size);
    printf("%.1f\n", times[batches / 2]);
    return 0;
}
