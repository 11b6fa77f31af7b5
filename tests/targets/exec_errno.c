/*
 * exec_errno ERRNO CMD ARG...: runs CMD and answers each execve of a magic path with ERRNO, on the real kernel, by a
 * seccomp listener of its own. Prints each magic path, as a supervisor reads it, on a line of stdout; every other
 * execve goes on. Exits as CMD does. ERRNO 0 answers "success", which no supervisor should.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAGIC "/.hallpass/"

static void __attribute__((noreturn)) die(const char *what)
{
    perror(what);
    exit(125);
}

static int install_filter(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        die("no_new_privs");
    long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        die("seccomp");
    return (int)listener;
}

union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
};

static struct msghdr one_fd_message(struct iovec *data, union control *control)
{
    return (struct msghdr){
        .msg_iov = data, .msg_iovlen = 1, .msg_control = control->bytes, .msg_controllen = sizeof control->bytes};
}

static void send_fd(int socket, int fd)
{
    char byte = 0;
    union control control = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = one_fd_message(&data, &control);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    if (sendmsg(socket, &message, 0) < 0)
        die("sendmsg");
}

static int receive_fd(int socket)
{
    char byte;
    int fd;
    union control control = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = one_fd_message(&data, &control);
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0 || CMSG_FIRSTHDR(&message) == NULL)
        die("recvmsg");
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
    return fd;
}

/* Reads the string at `address` of the caller, as much as is mapped. */
static void read_string(pid_t pid, unsigned long address, char *out, size_t size)
{
    size_t length = 0;
    while (length + 1 < size) {
        size_t to_page_end = 4096 - (address + length) % 4096;
        size_t want = to_page_end < size - 1 - length ? to_page_end : size - 1 - length;
        struct iovec local = {out + length, want};
        struct iovec remote = {(char *)NULL + address + length, want};
        ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (got <= 0)
            break;
        if (memchr(out + length, '\0', (size_t)got) != NULL)
            return;
        length += (size_t)got;
    }
    out[length] = '\0';
}

static void answer(int listener, int number)
{
    static char path[8192];
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) < 0)
        return;
    read_string((pid_t)call.pid, call.data.args[0], path, sizeof path);
    struct seccomp_notif_resp response = {.id = call.id};
    if (strncmp(path, MAGIC, strlen(MAGIC)) == 0) {
        puts(path);
        fflush(stdout);
        response.error = -number;
    } else {
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* Until CMD has ended. The listener alone does not say so: before Linux 6.11 it hangs up when the last task is reaped.
 */
static void serve(int listener, pid_t child, int number)
{
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    if (pidfd < 0)
        die("pidfd_open");
    struct pollfd waits[] = {{.fd = listener, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
    while (poll(waits, 2, -1) > 0 && waits[1].revents == 0)
        if (waits[0].revents & POLLIN)
            answer(listener, number);
}

int main(int argc, char **argv)
{
    int pair[2], status;
    if (argc < 3)
        return 2;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        die("socketpair");
    pid_t child = fork();
    if (child == 0) {
        int listener = install_filter();
        send_fd(pair[1], listener);
        close(listener);
        execvp(argv[2], argv + 2);
        die(argv[2]);
    }
    int listener = receive_fd(pair[0]);
    serve(listener, child, atoi(argv[1]));
    if (waitpid(child, &status, 0) < 0)
        die("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
