/*
 * other_network connect NAME: connects to the abstract unix socket NAME by a socket made before this process went into
 * a network of its own, where it has bound the same name itself. Prints "connected" or the errno. other_network listen
 * NAME: is the service of that name; prints "ready", and "reached" for each that connects.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t length;

static int listener(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 1) < 0)
        return -1;
    return fd;
}

static int serve(void)
{
    int fd = listener();
    for (const char *word = "ready"; fd >= 0; word = "reached") {
        puts(word);
        fflush(stdout);
        if (accept(fd, NULL, NULL) < 0)
            break;
    }
    return 1;
}

static int reach(void)
{
    int from_before = socket(AF_UNIX, SOCK_STREAM, 0);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 && unshare(CLONE_NEWNET) < 0)
        return 3;
    if (listener() < 0)
        return 4;
    if (connect(from_before, (struct sockaddr *)&address, length) == 0)
        puts("connected");
    else
        printf("%d\n", errno);
    return 0;
}

int main(int count, char **words)
{
    if (count != 3 || strlen(words[2]) + 1 > sizeof address.sun_path)
        return 2;
    memcpy(address.sun_path + 1, words[2], strlen(words[2]));
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(words[2]));
    return strcmp(words[1], "listen") == 0 ? serve() : reach();
}
