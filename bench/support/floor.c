/*
 * floor: the least a supervisor on seccomp user notification can cost. It traps what hallpass traps for a program that
 * changes files or runs others, and answers each notification with no thought at all.
 *
 *   floor [--sync] continue|deny|addfd CMD ARG...
 *
 *   continue  every call goes on in the kernel
 *   deny      every write-open fails with EACCES, the rest goes on
 *   addfd     every write-open is made here and injected (ADDFD with SEND), the rest goes on
 *   --sync    SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (Linux 6.6)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
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

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_ADDFD_FLAG_SEND
#define SECCOMP_ADDFD_FLAG_SEND (1UL << 1)
#endif

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#else
#error "no syscall table for this machine"
#endif

#define WRITES         (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define NOTIFY_IF(nr)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), RETURN(SECCOMP_RET_USER_NOTIF)

enum answer { CONTINUE, DENY, ADDFD };

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(125);
}

static int install_filter(void)
{
    struct sock_filter code[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
        LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WRITES, 0, 1),
        RETURN(SECCOMP_RET_USER_NOTIF),
        RETURN(SECCOMP_RET_ALLOW),
#ifdef SYS_rename
        NOTIFY_IF(SYS_rename),
        NOTIFY_IF(SYS_unlink),
        NOTIFY_IF(SYS_mkdir),
        NOTIFY_IF(SYS_rmdir),
#endif
        NOTIFY_IF(SYS_renameat2),
        NOTIFY_IF(SYS_unlinkat),
        NOTIFY_IF(SYS_mkdirat),
        NOTIFY_IF(SYS_execve),
        NOTIFY_IF(SYS_connect),
        RETURN(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        die("no_new_privs");
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        die("seccomp");
    return listener;
}

/* The child sends its listener back over the socket (sendmsg is not trapped) before it becomes CMD. */
static pid_t start(char **command, int sockets[2])
{
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid > 0)
        return pid;
    close(sockets[0]);
    int listener = install_filter();
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    char byte = 0;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control.space)};
    memcpy(CMSG_DATA(&control.header), &listener, sizeof(int));
    if (sendmsg(sockets[1], &message, 0) != 1)
        die("sendmsg");
    close(listener);
    close(sockets[1]);
    execvp(command[0], command);
    die(command[0]);
}

static int receive_listener(int from)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    char byte;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control.space)};
    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1 || message.msg_controllen == 0)
        die("recvmsg");
    int listener;
    memcpy(&listener, CMSG_DATA(&control.header), sizeof(int));
    return listener;
}

static int is_write_open(const struct seccomp_notif *call)
{
    return call->data.nr == SYS_openat;
}

/* As hallpass does it: the path is read from the caller and the open made here, with the caller's flags and mode. */
static void answer_with_fd(int listener, const struct seccomp_notif *call)
{
    static char path[4096];
    struct iovec here = {.iov_base = path, .iov_len = sizeof(path)};
    struct iovec there = {.iov_base = (void *)call->data.args[1], .iov_len = sizeof(path)};
    struct seccomp_notif_resp response = {.id = call->id, .error = -EFAULT};
    if (process_vm_readv((pid_t)call->pid, &here, 1, &there, 1, 0) > 0) {
        int fd = open(path, (int)call->data.args[2] | O_CLOEXEC | O_NOCTTY, (mode_t)call->data.args[3]);
        if (fd >= 0) {
            struct seccomp_notif_addfd injected = {
                .id = call->id, .flags = SECCOMP_ADDFD_FLAG_SEND, .srcfd = (__u32)fd};
            ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &injected);
            close(fd);
            return;
        }
        response.error = -errno;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void serve(int listener, enum answer answer)
{
    struct seccomp_notif call;
    for (;;) {
        memset(&call, 0, sizeof(call));
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
            if (errno == EINTR || errno == ENOENT)
                continue;
            die("receive");
        }
        if (answer == ADDFD && is_write_open(&call)) {
            answer_with_fd(listener, &call);
            continue;
        }
        struct seccomp_notif_resp response = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        if (answer == DENY && is_write_open(&call)) {
            response.flags = 0;
            response.error = -EACCES;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    }
}

static pid_t child;

static void on_child(int signal)
{
    (void)signal;
    int status;
    while (waitpid(-1, &status, WNOHANG) > 0)
        if (WIFEXITED(status) || WIFSIGNALED(status))
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
    int next = 1;
    int is_sync = next < argc && strcmp(argv[next], "--sync") == 0;
    next += is_sync;
    if (next + 1 >= argc) {
        fprintf(stderr, "usage: floor [--sync] continue|deny|addfd CMD ARG...\n");
        return 2;
    }
    enum answer answer = strcmp(argv[next], "addfd") == 0 ? ADDFD : strcmp(argv[next], "deny") == 0 ? DENY : CONTINUE;
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        die("socketpair");
    child = start(argv + next + 1, sockets);
    close(sockets[1]);
    int listener = receive_listener(sockets[0]);
    signal(SIGCHLD, on_child);
    on_child(SIGCHLD);
    if (is_sync && ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP) != 0)
        die("this kernel has no SYNC_WAKE_UP");
    serve(listener, answer);
}
