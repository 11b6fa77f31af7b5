/*
 * exec_swap race ALLOWED OTHER MILLISECONDS FILE: runs ALLOWED again and again, while another process swaps the path in
 * memory for OTHER, which is called "OTHER mark FILE". Prints how often OTHER ran to its end and how often it was
 * killed. exec_swap mark FILE: a child makes FILE; ends with 42 when it is there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static int mark(const char *file)
{
    int status = 0;
    if (fork() == 0)
        _exit(open(file, O_CREAT | O_WRONLY, 0600) < 0);
    wait(&status);
    return status == 0 ? 42 : 43;
}

static void swap_for_ever(volatile char *path, const char *one, const char *other)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const char *next = one;; next = next == one ? other : one) {
        memcpy((char *)path, next, strlen(next) + 1);
        for (volatile int i = 0; i < 3000; i++)
            ;
    }
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int run(const char *path, const char *file)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execl(path, path, "mark", file, (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    return status;
}

static int race(char **words)
{
    char *path = mmap(NULL, PATH_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (path == MAP_FAILED || strlen(words[0]) >= PATH_BYTES || strlen(words[1]) >= PATH_BYTES)
        return 2;
    if (fork() == 0)
        swap_for_ever(path, words[0], words[1]);
    int finished = 0;
    int killed = 0;
    for (long end = milliseconds() + atol(words[2]); milliseconds() < end;) {
        int status = run(path, words[3]);
        finished += WIFEXITED(status) && WEXITSTATUS(status) >= 42;
        killed += WIFSIGNALED(status);
    }
    printf("%d %d\n", finished, killed);
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "mark") == 0)
        return mark(words[2]);
    return count == 6 && strcmp(words[1], "race") == 0 ? race(words + 2) : 2;
}
