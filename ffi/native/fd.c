/* Calls on open descriptors. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/poll.h>
#include <linux/time_types.h>

#include "hallpass.h"

/* The descriptor is gone whatever the result (close(2)). */
EXPORT int32_t hp_close(int32_t fd)
{
    return (int32_t)SYS1(close, fd);
}

EXPORT int32_t hp_close_range(uint32_t first, uint32_t last, uint32_t flags)
{
    return (int32_t)SYS3(close_range, first, last, flags);
}

EXPORT int32_t hp_fcntl(int32_t fd, int32_t command, uint32_t argument)
{
    return (int32_t)SYS3(fcntl, fd, command, (unsigned long)argument);
}

EXPORT int32_t hp_dup3(int32_t fd, int32_t new_fd, int32_t flags)
{
    return (int32_t)SYS3(dup3, fd, new_fd, flags);
}

EXPORT int32_t hp_pipe2(int32_t *fds, int32_t flags)
{
    return (int32_t)SYS2(pipe2, fds, flags);
}

EXPORT int32_t hp_memfd_create(const char *base, uint32_t flags)
{
    return (int32_t)SYS2(memfd_create, base, flags);
}

EXPORT int32_t hp_eventfd(uint32_t initial, int32_t flags)
{
    return (int32_t)SYS2(eventfd2, initial, flags);
}

EXPORT int32_t hp_read(int32_t fd, uint8_t *base, uint32_t at, uint32_t length)
{
    long result;
    do {
        result = SYS3(read, fd, base + at, length);
    } while (result == -EINTR);
    return (int32_t)result;
}

EXPORT int32_t hp_pread(int32_t fd, uint8_t *base, uint32_t at, uint32_t length, uint32_t offset_low,
                        uint32_t offset_high)
{
    long result;
    do {
        result = SYS4(pread64, fd, base + at, length, join64(offset_low, offset_high));
    } while (result == -EINTR);
    return (int32_t)result;
}

/* May write less than `length`, as write(2) does. */
EXPORT int32_t hp_write(int32_t fd, const uint8_t *base, uint32_t at, uint32_t length)
{
    long result;
    do {
        result = SYS3(write, fd, base + at, length);
    } while (result == -EINTR);
    return (int32_t)result;
}

EXPORT int32_t hp_ftruncate(int32_t fd, uint32_t length_low, uint32_t length_high)
{
    return (int32_t)SYS2(ftruncate, fd, join64(length_low, length_high));
}

/* struct linux_dirent64: ino 0, off 8, reclen 16 (u16), type 18 (u8), name 19. 0 at the end of the folder. */
EXPORT int32_t hp_getdents(int32_t fd, uint8_t *base, uint32_t length)
{
    return (int32_t)SYS3(getdents64, fd, base, length);
}

EXPORT int32_t hp_fstatfs(int32_t fd, void *out)
{
    return (int32_t)SYS2(fstatfs, fd, out);
}

/* struct pollfd: fd 0, events 4 (u16), revents 6 (u16). EINTR is given to the caller, which knows its deadline. */
EXPORT int32_t hp_poll(void *pollfds, uint32_t count, int32_t timeout_ms)
{
    struct __kernel_timespec limit = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    return (int32_t)SYS5(ppoll, pollfds, count, timeout_ms < 0 ? NULL : &limit, NULL, 8);
}

EXPORT int32_t hp_ioctl_pointer(int32_t fd, uint32_t request, void *argument)
{
    return (int32_t)SYS3(ioctl, fd, (unsigned long)request, argument);
}

EXPORT int32_t hp_ioctl_value(int32_t fd, uint32_t request, uint32_t argument)
{
    return (int32_t)SYS3(ioctl, fd, (unsigned long)request, (unsigned long)argument);
}

/* Opens, reads until the end or `capacity`, closes: one crossing for a small file such as those of /proc. */
EXPORT int32_t hp_read_file(int32_t dirfd, const char *base, uint32_t at, uint8_t *out, uint32_t capacity)
{
    int32_t fd = (int32_t)SYS4(openat, dirfd, base + at, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0)
        return fd;
    uint32_t length = 0;
    int32_t got = 0;
    while (length < capacity && (got = hp_read(fd, out, length, capacity - length)) > 0)
        length += (uint32_t)got;
    SYS1(close, fd);
    return got < 0 ? got : (int32_t)length;
}

/* Opens an existing file for writing and writes all in one write(2), as /proc files want it. */
EXPORT int32_t hp_write_file(int32_t dirfd, const char *base, uint32_t at, const uint8_t *bytes, uint32_t length)
{
    int32_t fd = (int32_t)SYS4(openat, dirfd, base + at, O_WRONLY | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0)
        return fd;
    int32_t result = hp_write(fd, bytes, 0, length);
    SYS1(close, fd);
    return result;
}

EXPORT int32_t hp_flock(int32_t fd, int32_t operation)
{
    return (int32_t)SYS2(flock, fd, operation);
}
