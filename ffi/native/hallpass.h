/*
 * libhallpass.so: what bun:ffi calls. Every function takes fixed-width arguments, returns >= 0 or -errno, holds no
 * policy and keeps no state. A path is `base + at`, ends with NUL and is the caller's memory for the time of the call.
 * 64-bit values come as two u32 halves, low first, so that no BigInt is made on the way.
 */
#ifndef HALLPASS_H
#define HALLPASS_H

#include <stddef.h>
#include <stdint.h>

#include "raw_syscall.h"
#include "uapi.h"

#define EXPORT __attribute__((visibility("default")))

static inline uint64_t join64(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* seccomp.c */
int32_t hp_seccomp_receive(int32_t listener, void *notification);
int32_t hp_seccomp_wait(int32_t listener, int32_t wake, int32_t timeout_ms);
int32_t hp_seccomp_send(int32_t listener, uint32_t id_low, uint32_t id_high, int32_t error, int32_t value,
                        uint32_t flags);
int32_t hp_seccomp_addfd(int32_t listener, uint32_t id_low, uint32_t id_high, uint32_t flags, int32_t fd,
                         uint32_t new_fd, uint32_t new_fd_flags);
int32_t hp_seccomp_id_valid(int32_t listener, uint32_t id_low, uint32_t id_high);
int32_t hp_seccomp_set_flags(int32_t listener, uint32_t flags);
int32_t hp_seccomp_knows_filter_flags(uint32_t flags);
int32_t hp_seccomp_notification_sizes(void *sizes);
int32_t hp_seccomp_set_filter(const void *instructions, uint32_t count, uint32_t flags);

/* fd.c */
int32_t hp_close(int32_t fd);
int32_t hp_fcntl(int32_t fd, int32_t command, uint32_t argument);
int32_t hp_dup3(int32_t fd, int32_t new_fd, int32_t flags);
int32_t hp_pipe2(int32_t *fds, int32_t flags);
int32_t hp_memfd_create(const char *base, uint32_t flags);
int32_t hp_eventfd(uint32_t initial, int32_t flags);
int32_t hp_read(int32_t fd, uint8_t *base, uint32_t at, uint32_t length);
int32_t hp_pread(int32_t fd, uint8_t *base, uint32_t at, uint32_t length, uint32_t offset_low, uint32_t offset_high);
int32_t hp_write(int32_t fd, const uint8_t *base, uint32_t at, uint32_t length);
int32_t hp_ftruncate(int32_t fd, uint32_t length_low, uint32_t length_high);
int32_t hp_getdents(int32_t fd, uint8_t *base, uint32_t length);
int32_t hp_fstatfs(int32_t fd, void *out);
int32_t hp_poll(void *pollfds, uint32_t count, int32_t timeout_ms);
int32_t hp_ioctl_pointer(int32_t fd, uint32_t request, void *argument);
int32_t hp_ioctl_value(int32_t fd, uint32_t request, uint32_t argument);
int32_t hp_read_file(int32_t dirfd, const char *base, uint32_t at, uint8_t *out, uint32_t capacity);
int32_t hp_write_file(int32_t dirfd, const char *base, uint32_t at, const uint8_t *bytes, uint32_t length);
int32_t hp_flock(int32_t fd, int32_t operation);
int32_t hp_close_range(uint32_t first, uint32_t last, uint32_t flags);

/* path.c */
int32_t hp_openat(int32_t dirfd, const char *base, uint32_t at, uint32_t flags, uint32_t mode);
int32_t hp_openat2(int32_t dirfd, const char *base, uint32_t at, uint32_t flags_low, uint32_t flags_high, uint32_t mode,
                   uint32_t resolve);
int32_t hp_readlinkat(int32_t dirfd, const char *base, uint32_t at, uint8_t *out, uint32_t out_at, uint32_t capacity);
int32_t hp_statx(int32_t dirfd, const char *base, uint32_t at, uint32_t flags, uint32_t mask, void *out);
int32_t hp_faccessat2(int32_t dirfd, const char *base, uint32_t at, uint32_t mode, uint32_t flags);
int32_t hp_mkdirat(int32_t dirfd, const char *base, uint32_t at, uint32_t mode);
int32_t hp_mknodat(int32_t dirfd, const char *base, uint32_t at, uint32_t mode, uint32_t device);
int32_t hp_unlinkat(int32_t dirfd, const char *base, uint32_t at, uint32_t flags);
int32_t hp_symlinkat(const char *target, uint32_t target_at, int32_t dirfd, const char *base, uint32_t at);
int32_t hp_linkat(int32_t from_dirfd, const char *from, uint32_t from_at, int32_t to_dirfd, const char *to,
                  uint32_t to_at, uint32_t flags);
int32_t hp_renameat2(int32_t from_dirfd, const char *from, uint32_t from_at, int32_t to_dirfd, const char *to,
                     uint32_t to_at, uint32_t flags);
int32_t hp_truncate(const char *base, uint32_t at, uint32_t length_low, uint32_t length_high);
int32_t hp_chmod(const char *base, uint32_t at, uint32_t mode);
int32_t hp_fchmod(int32_t fd, uint32_t mode);
int32_t hp_fchmodat2(int32_t dirfd, const char *base, uint32_t at, uint32_t mode, uint32_t flags);
int32_t hp_fchownat(int32_t dirfd, const char *base, uint32_t at, uint32_t uid, uint32_t gid, uint32_t flags);
int32_t hp_utimensat(int32_t dirfd, const char *base, uint32_t at, const void *times, uint32_t flags);
int32_t hp_futimens(int32_t fd, const void *times);
int32_t hp_fchdir(int32_t fd);
int32_t hp_chroot(const char *base, uint32_t at);

/* xattr.c */
int32_t hp_setxattr(const char *base, uint32_t at, const char *name, const void *value, uint32_t size, uint32_t flags);
int32_t hp_lsetxattr(const char *base, uint32_t at, const char *name, const void *value, uint32_t size, uint32_t flags);
int32_t hp_fsetxattr(int32_t fd, const char *name, const void *value, uint32_t size, uint32_t flags);
int32_t hp_setxattrat(int32_t dirfd, const char *base, uint32_t at, uint32_t at_flags, const char *name,
                      const void *value, uint32_t size, uint32_t flags);
int32_t hp_getxattr(const char *base, uint32_t at, const char *name, void *value, uint32_t size);
int32_t hp_removexattr(const char *base, uint32_t at, const char *name);
int32_t hp_lremovexattr(const char *base, uint32_t at, const char *name);
int32_t hp_fremovexattr(int32_t fd, const char *name);
int32_t hp_removexattrat(int32_t dirfd, const char *base, uint32_t at, uint32_t at_flags, const char *name);
int32_t hp_file_getattr(int32_t dirfd, const char *base, uint32_t at, void *attributes, uint32_t size, uint32_t flags);
int32_t hp_file_setattr(int32_t dirfd, const char *base, uint32_t at, const void *attributes, uint32_t size,
                        uint32_t flags);

/* process.c */
int32_t hp_process_read(int32_t pid, uint32_t address_low, uint32_t address_high, uint8_t *base, uint32_t at,
                        uint32_t length);
int32_t hp_process_write(int32_t pid, uint32_t address_low, uint32_t address_high, const uint8_t *base, uint32_t at,
                         uint32_t length);
int32_t hp_process_read_string(int32_t pid, uint32_t address_low, uint32_t address_high, uint8_t *base, uint32_t at,
                               uint32_t capacity);
int32_t hp_pidfd_open(int32_t pid, uint32_t flags);
int32_t hp_pidfd_getfd(int32_t pidfd, int32_t fd);
int32_t hp_pidfd_send_signal(int32_t pidfd, int32_t signal);
int32_t hp_kill(int32_t pid, int32_t signal);
int32_t hp_tgkill(int32_t pid, int32_t tid, int32_t signal);
int32_t hp_getpgid(int32_t pid);
int32_t hp_getsid(int32_t pid);
int32_t hp_gettid(void);
int32_t hp_kcmp(int32_t pid1, int32_t pid2, int32_t type, uint32_t index1, uint32_t index2);
int32_t hp_prctl(int32_t option, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
int32_t hp_prlimit(int32_t pid, uint32_t resource, const void *new_limit, void *old_limit);

/* creds.c */
int32_t hp_setfsuid(uint32_t uid);
int32_t hp_setfsgid(uint32_t gid);
int32_t hp_setgroups(const uint32_t *groups, uint32_t count);
int32_t hp_getgroups(uint32_t *groups, uint32_t capacity);
int32_t hp_capget(uint32_t *sets);
int32_t hp_capset(const uint32_t *sets);
int32_t hp_umask(uint32_t mask);
int32_t hp_unshare(uint32_t flags);
int32_t hp_setns(int32_t fd, uint32_t flags);
int32_t hp_getresuid(uint32_t *ids);
int32_t hp_getresgid(uint32_t *ids);

/* landlock.c */
int32_t hp_landlock_abi(void);
int32_t hp_landlock_create(uint32_t handled_fs, uint32_t handled_net, uint32_t scoped, uint32_t size);
int32_t hp_landlock_allow_path(int32_t ruleset, int32_t parent_fd, uint32_t access);
int32_t hp_landlock_allow_port(int32_t ruleset, uint32_t port, uint32_t access);
int32_t hp_landlock_restrict_self(int32_t ruleset, uint32_t flags);

/* socket.c */
int32_t hp_socket(int32_t domain, int32_t type, int32_t protocol);
int32_t hp_socketpair(int32_t domain, int32_t type, int32_t *fds);
int32_t hp_bind(int32_t fd, const uint8_t *base, uint32_t at, uint32_t length);
int32_t hp_connect(int32_t fd, const uint8_t *base, uint32_t at, uint32_t length);
int32_t hp_sendto(int32_t fd, const uint8_t *bytes, uint32_t length, uint32_t flags, const uint8_t *address,
                  uint32_t address_length);
int32_t hp_sendmsg_fds(int32_t fd, const uint8_t *bytes, uint32_t length, const int32_t *fds, uint32_t fd_count,
                       uint32_t flags);
int32_t hp_sendmsg_control(int32_t fd, const uint8_t *bytes, uint32_t length, const uint8_t *address,
                           uint32_t address_length, const uint8_t *control, uint32_t control_length, uint32_t flags);
int32_t hp_recvmsg_fds(int32_t fd, uint8_t *bytes, uint32_t capacity, int32_t *fds, uint32_t fd_capacity,
                       uint32_t flags);
int32_t hp_getsockopt_int(int32_t fd, int32_t level, int32_t option);
int32_t hp_getsockopt(int32_t fd, int32_t level, int32_t option, void *out, uint32_t capacity);
int32_t hp_getsockname(int32_t fd, uint8_t *out, uint32_t capacity);
int32_t hp_getpeername(int32_t fd, uint8_t *out, uint32_t capacity);

/* blocking.c */
int32_t hp_blocking_open(int32_t dirfd, const char *base, uint32_t at, uint32_t flags, uint32_t mode);
int32_t hp_blocking_connect(int32_t fd, const uint8_t *address, uint32_t length);
int32_t hp_blocking_interrupt(int32_t tid);

#endif
