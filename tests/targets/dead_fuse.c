/*
 * dead_fuse FOLDER: mounts a file system there whose server answers the first question (INIT) and no other, prints
 * "ready", and stays until it is killed; then everything that waits for it ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static char request[1 << 20];

int main(int argc, char **argv)
{
    char options[128];
    int fd = argc > 1 ? open("/dev/fuse", O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return 2;
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
    if (mount("dead", argv[1], "fuse", MS_NOSUID | MS_NODEV, options)) {
        perror("mount");
        return 2;
    }
    struct {
        struct fuse_out_header header;
        struct fuse_init_out init;
    } answer;
    if (read(fd, request, sizeof request) < (ssize_t)sizeof(struct fuse_in_header))
        return 2;
    memset(&answer, 0, sizeof answer);
    answer.header.len = sizeof answer;
    answer.header.unique = ((struct fuse_in_header *)request)->unique;
    answer.init.major = FUSE_KERNEL_VERSION;
    answer.init.minor = FUSE_KERNEL_MINOR_VERSION;
    answer.init.max_write = 4096;
    if (write(fd, &answer, sizeof answer) < 0)
        return 2;
    puts("ready");
    fflush(stdout);
    for (;;)
        if (read(fd, request, sizeof request) < 0 && errno == ENODEV)
            return 0;
}
