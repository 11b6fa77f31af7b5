/*
 * rabbits N: N processes, each of which forks, leaves the child in a session of its own and ends, over and over: a
 * crowd that nobody can catch by looking first and killing then. They rest a moment in between, so that the machine
 * keeps up with burying them, and give up after half a minute. The first process stays.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 30, REST_MICROSECONDS = 300 };

static void run(time_t end)
{
    while (time(NULL) < end) {
        if (fork() > 0)
            _exit(0);
        setsid();
        usleep(REST_MICROSECONDS);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    time_t end = time(NULL) + SECONDS;
    int count = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < count; i++)
        if (fork() == 0)
            run(end);
    puts("up");
    fflush(stdout);
    sleep(SECONDS);
}
