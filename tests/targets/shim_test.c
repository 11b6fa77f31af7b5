/*
 * Calls the shim (ffi/native) from C under the sanitizers: every function once with good arguments and, where it has
 * lengths or pointers to get wrong, at their edges. Prints what differs from what is expected and ends with 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hallpass.h"

static int failures;

static void expect(const char *what, long got, long wanted)
{
    if (got == wanted)
        return;
    printf("%s: got %ld, wanted %ld\n", what, got, wanted);
    failures++;
}

#define EXPECT(call, wanted) expect(#call, call, wanted)
#define WORKS(call)          expect(#call, (call) >= 0, 1)

static uint32_t low(const void *address)
{
    return (uint32_t)(uintptr_t)address;
}

static uint32_t high(const void *address)
{
    return (uint32_t)((uint64_t)(uintptr_t)address >> 32);
}

/* Text that ends just before memory that is not mapped, as long as `text` or cut off without its NUL. */
static char *before_the_end(const char *text, size_t length)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory + 2 * page, page);
    return memcpy(memory + 2 * page - length, text, length);
}

static void test_memory(void)
{
    uint8_t out[64] = {0};
    int pid = getpid();
    const char *text = "hello";
    char *at_end = before_the_end("edge", 5);
    char *cut_off = before_the_end("cut", 3);
    EXPECT(hp_process_read(pid, low(text), high(text), out, 3, 6), 6);
    expect("what was read", memcmp(out + 3, "hello", 6), 0);
    EXPECT(hp_process_read_string(pid, low(text), high(text), out, 0, sizeof out), 5);
    EXPECT(hp_process_read_string(pid, low(text), high(text), out, 0, 6), 5);
    EXPECT(hp_process_read_string(pid, low(text), high(text), out, 0, 5), -ENAMETOOLONG);
    EXPECT(hp_process_read_string(pid, low(text), high(text), out, 0, 0), -ENAMETOOLONG);
    EXPECT(hp_process_read_string(pid, low(at_end), high(at_end), out, 0, sizeof out), 4);
    EXPECT(hp_process_read_string(pid, low(cut_off), high(cut_off), out, 0, sizeof out), -EFAULT);
    EXPECT(hp_process_read_string(pid, 16, 0, out, 0, sizeof out), -EFAULT);
    EXPECT(hp_process_write(pid, low(out), high(out), (const uint8_t *)"xyz", 1, 2), 2);
    expect("what was written", memcmp(out, "yz", 2), 0);
}

/* A string over three pages is read page by page. */
static void test_long_string(void)
{
    enum { LENGTH = 9000 };
    char *text = malloc(LENGTH + 1);
    uint8_t *out = malloc(LENGTH + 1);
    memset(text, 'a', LENGTH);
    text[LENGTH] = 0;
    EXPECT(hp_process_read_string(getpid(), low(text), high(text), out, 0, LENGTH + 1), LENGTH);
    expect("a long string", memcmp(out, text, LENGTH + 1), 0);
    EXPECT(hp_process_read_string(getpid(), low(text), high(text), out, 0, LENGTH), -ENAMETOOLONG);
    free(text);
    free(out);
}

static void test_files(const char *folder)
{
    uint8_t bytes[256];
    int dir = hp_openat(AT_FDCWD, folder, 0, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    WORKS(dir);
    int fd = hp_openat(dir, "xxfile", 2, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    WORKS(fd);
    EXPECT(hp_write(fd, (const uint8_t *)"hello", 1, 4), 4);
    EXPECT(hp_pread(fd, bytes, 10, 4, 1, 0), 3);
    EXPECT(hp_ftruncate(fd, 2, 0), 0);
    EXPECT(hp_read_file(dir, "file", 0, bytes, sizeof bytes), 2);
    EXPECT(hp_read_file(dir, "file", 0, bytes, 1), 1);
    EXPECT(hp_read_file(dir, "file", 0, bytes, 0), 0);
    EXPECT(hp_read_file(dir, "none", 0, bytes, 4), -ENOENT);
    EXPECT(hp_write_file(dir, "file", 0, (const uint8_t *)"new", 3), 3);
    EXPECT(hp_openat2(dir, "file", 0, O_RDONLY | O_CLOEXEC, 0x80000000U, 0, 0), -EINVAL);
    EXPECT(hp_close(hp_openat2(dir, "file", 0, O_RDONLY | O_CLOEXEC, 0, 0, 8)), 0);
    EXPECT(hp_openat2(dir, "../file", 0, O_RDONLY, 0, 0, 8), -EXDEV);
    EXPECT(hp_mkdirat(dir, "below", 0, 0700), 0);
    EXPECT(hp_symlinkat("xfile", 1, dir, "link", 0), 0);
    EXPECT(hp_readlinkat(dir, "link", 0, bytes, 5, 100), 4);
    EXPECT(hp_readlinkat(dir, "link", 0, bytes, 0, 2), 2);
    EXPECT(hp_linkat(dir, "file", 0, dir, "hard", 0, 0), 0);
    EXPECT(hp_renameat2(dir, "hard", 0, dir, "below/hard", 0, 1), 0);
    EXPECT(hp_mknodat(dir, "fifo", 0, S_IFIFO | 0600, 0), 0);
    EXPECT(hp_fchmod(fd, 0640), 0);
    EXPECT(hp_fchownat(dir, "file", 0, ~0U, ~0U, 0), 0);
    EXPECT(hp_utimensat(dir, "file", 0, NULL, 0), 0);
    EXPECT(hp_futimens(fd, NULL), 0);
    EXPECT(hp_statx(dir, "file", 0, 0, 0x7ff, bytes), 0);
    EXPECT(hp_faccessat2(dir, "file", 0, R_OK, 0), 0);
    EXPECT(hp_unlinkat(dir, "below/hard", 0, 0), 0);
    EXPECT(hp_unlinkat(dir, "below", 0, AT_REMOVEDIR), 0);
    EXPECT(hp_unlinkat(dir, "fifo", 0, 0), 0);
    EXPECT(hp_unlinkat(dir, "link", 0, 0), 0);
    EXPECT(hp_unlinkat(dir, "file", 0, 0), 0);
    WORKS(hp_getdents(hp_openat(dir, ".", 0, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), bytes, sizeof bytes));
    EXPECT(hp_fstatfs(fd, bytes), 0);
    EXPECT(hp_close(fd), 0);
    EXPECT(hp_close(fd), -EBADF);
}

static void test_attributes(const char *folder)
{
    char path[300];
    uint8_t bytes[32];
    snprintf(path, sizeof path, "%s/attributes", folder);
    int fd = hp_openat(AT_FDCWD, path, 0, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT(hp_setxattr(path, 0, "user.one", "1", 1, 0), 0);
    EXPECT(hp_fsetxattr(fd, "user.two", "22", 2, 0), 0);
    EXPECT(hp_getxattr(path, 0, "user.two", bytes, sizeof bytes), 2);
    EXPECT(hp_getxattr(path, 0, "user.two", bytes, 1), -ERANGE);
    EXPECT(hp_removexattr(path, 0, "user.one"), 0);
    EXPECT(hp_fremovexattr(fd, "user.two"), 0);
    EXPECT(hp_lremovexattr(path, 0, "user.two"), -ENODATA);
    long at = hp_setxattrat(AT_FDCWD, path, 0, 0, "user.three", "3", 1, 0);
    expect("setxattrat", at == 0 || at == -ENOSYS, 1);
    at = hp_file_getattr(AT_FDCWD, path, 0, bytes, 24, 0);
    expect("file_getattr", at == 0 || at == -ENOSYS || at == -EOPNOTSUPP || at == -ENOTTY, 1);
    EXPECT(hp_close(fd), 0);
    EXPECT(hp_unlinkat(AT_FDCWD, path, 0, 0), 0);
}

static void test_sockets(void)
{
    int32_t pair[2], fds[254], sent[253];
    uint8_t bytes[16];
    EXPECT(hp_socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, pair), 0);
    for (int i = 0; i < 253; i++)
        sent[i] = pair[0];
    EXPECT(hp_sendmsg_fds(pair[0], (const uint8_t *)"x", 1, sent, 253, 0), 1);
    EXPECT(hp_recvmsg_fds(pair[1], bytes, 1, fds, 253, 0), 1);
    WORKS(fds[252]);
    expect("the end of the list", fds[253], -1);
    for (int i = 0; i < 253; i++)
        EXPECT(hp_close(fds[i]), 0);
    EXPECT(hp_sendmsg_fds(pair[0], (const uint8_t *)"x", 1, sent, 254, 0), -EINVAL);
    EXPECT(hp_sendmsg_fds(pair[0], (const uint8_t *)"y", 1, sent, 3, 0), 1);
    EXPECT(hp_recvmsg_fds(pair[1], bytes, sizeof bytes, fds, 1, 0), 1);
    WORKS(fds[0]);
    expect("descriptors beyond the capacity", fds[1], -1);
    EXPECT(hp_close(fds[0]), 0);
    EXPECT(hp_sendmsg_fds(pair[0], (const uint8_t *)"z", 1, sent, 0, 0), 1);
    EXPECT(hp_recvmsg_fds(pair[1], bytes, sizeof bytes, fds, 0, 0), 1);
    expect("no descriptor", fds[0], -1);
    EXPECT(hp_recvmsg_fds(pair[1], bytes, sizeof bytes, fds, 4, MSG_DONTWAIT), -EAGAIN);
    EXPECT(hp_getsockopt_int(pair[0], SOL_SOCKET, SO_TYPE), SOCK_STREAM);
    EXPECT(hp_getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, bytes, 12), 12);
    WORKS(hp_getsockname(pair[0], bytes, sizeof bytes));
    WORKS(hp_getpeername(pair[0], bytes, 1));
    EXPECT(hp_sendto(pair[0], (const uint8_t *)"q", 1, 0, NULL, 0), 1);
    EXPECT(hp_sendmsg_control(pair[0], (const uint8_t *)"q", 1, NULL, 0, NULL, 0, 0), 1);
    struct pollfd poll = {pair[1], POLLIN, 0};
    EXPECT(hp_poll(&poll, 1, 0), 1);
    EXPECT(hp_seccomp_wait(pair[1], -1, 1000), 1);
    EXPECT(hp_seccomp_wait(-1, pair[1], 1000), 4);
    EXPECT(hp_seccomp_wait(-1, -1, 0), 0);
    EXPECT(hp_close(pair[0]), 0);
    EXPECT(hp_seccomp_wait(pair[1], -1, 1000), 3);
    EXPECT(hp_close(pair[1]), 0);
}

static void test_processes(void)
{
    uint32_t words[8] = {0}, groups[64];
    uint8_t notification[80];
    int pidfd = hp_pidfd_open(getpid(), 0);
    WORKS(pidfd);
    EXPECT(hp_close(hp_pidfd_getfd(pidfd, 0)), 0);
    EXPECT(hp_pidfd_send_signal(pidfd, 0), 0);
    EXPECT(hp_kill(getpid(), 0), 0);
    EXPECT(hp_tgkill(getpid(), hp_gettid(), 0), 0);
    EXPECT(hp_getpgid(0), getpgid(0));
    EXPECT(hp_getsid(0), getsid(0));
    EXPECT(hp_prlimit(0, 7, NULL, words), 0);
    EXPECT(hp_prlimit(0, 7, words, NULL), 0);
    EXPECT(hp_capget(words), 0);
    EXPECT(hp_getresuid(words), 0);
    expect("the real uid", words[0], getuid());
    EXPECT(hp_getresgid(words), 0);
    WORKS(hp_getgroups(groups, 64));
    EXPECT(hp_setfsuid(~0U), (int)geteuid());
    EXPECT(hp_umask((uint32_t)hp_umask(022)), 022);
    EXPECT(hp_prctl(3, 0, 0, 0, 0), 1);
    WORKS(hp_seccomp_knows_filter_flags(8));
    EXPECT(hp_seccomp_knows_filter_flags(1U << 20), 0);
    EXPECT(hp_seccomp_notification_sizes(words), 0);
    EXPECT(hp_seccomp_receive(-1, notification), -EBADF);
    EXPECT(hp_seccomp_send(-1, 1, 2, 0, 0, 0), -EBADF);
    EXPECT(hp_seccomp_addfd(-1, 1, 2, 0, 0, 0, 0), -EBADF);
    EXPECT(hp_seccomp_id_valid(-1, 1, 2), -EBADF);
    int abi = hp_landlock_abi();
    if (abi >= 6) {
        int ruleset = hp_landlock_create(2, 0, 2, 24);
        WORKS(ruleset);
        EXPECT(hp_landlock_allow_path(ruleset, hp_openat(AT_FDCWD, "/dev/null", 0, O_PATH | O_CLOEXEC, 0), 2), 0);
        EXPECT(hp_close(ruleset), 0);
    }
    EXPECT(hp_close(pidfd), 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    test_memory();
    test_long_string();
    test_files(argv[1]);
    test_attributes(argv[1]);
    test_sockets();
    test_processes();
    printf("%d failures\n", failures);
    return failures != 0;
}
