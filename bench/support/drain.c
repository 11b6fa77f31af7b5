/*
 * A terminal that only takes: runs a command on a pseudo-terminal of its own and measures.
 *   drain bytes CMD...      seconds from the mark @@BEGIN to the mark @@END in the output
 *   drain echo COUNT CMD... the median of microseconds from a key to its echo, once the mark @@READY came
 * The command is killed afterwards.
 */
#define _GNU_SOURCE
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char output[1 << 16];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int start(char **command, int *master)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    int pid = forkpty(master, NULL, NULL, &size);
    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    return pid;
}

/* Reads until the mark has come, also where it comes in two reads. -1 when the output ends before. */
static int wait_for(int master, const char *mark)
{
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(master, output + kept, sizeof output - kept);
        if (got <= 0)
            return -1;
        size_t length = kept + (size_t)got;
        if (memmem(output, length, mark, strlen(mark)))
            return 0;
        kept = length < strlen(mark) ? length : strlen(mark) - 1;
        memmove(output, output + length - kept, kept);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int measure_echo(int master, int count)
{
    double *times = calloc((size_t)count, sizeof *times);
    if (!times || wait_for(master, "@@READY"))
        return -1;
    usleep(200000);
    for (int i = 0; i < count; i++) {
        char key = (char)('a' + i % 26), mark[2] = {key, 0};
        double began = now();
        if (write(master, &key, 1) != 1 || wait_for(master, mark))
            return -1;
        times[i] = (now() - began) * 1e6;
        usleep(2000);
    }
    qsort(times, (size_t)count, sizeof *times, compare);
    printf("%.1f\n", times[count / 2]);
    free(times);
    return 0;
}

static int measure_bytes(int master)
{
    if (wait_for(master, "@@BEGIN"))
        return -1;
    double began = now();
    if (wait_for(master, "@@END"))
        return -1;
    printf("%.6f\n", now() - began);
    return 0;
}

int main(int argc, char **argv)
{
    int is_echo = argc > 3 && strcmp(argv[1], "echo") == 0, master;
    if (argc < 3)
        return 2;
    int pid = start(argv + (is_echo ? 3 : 2), &master);
    int failed = is_echo ? measure_echo(master, atoi(argv[2])) : measure_bytes(master);
    kill(pid, SIGKILL);
    close(master);
    waitpid(pid, NULL, 0);
    return failed ? 1 : 0;
}
