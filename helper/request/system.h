/* The four system calls of hallpass-request, made directly: the same with and without a libc. */
#ifndef HALLPASS_REQUEST_SYSTEM_H
#define HALLPASS_REQUEST_SYSTEM_H

#include <stddef.h>
#include <sys/syscall.h>

/* Makes system call `number`; gives its result, or -errno. The kernel keeps all registers but those named. */
static inline long system_call(long number, long first, long second, long third)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
#error "hallpass runs on amd64 and arm64"
#endif
}

/* execve(2): returns only when it failed, with -errno. */
static inline long system_execve(const char *path, char *const argv[], char *const envp[])
{
    return system_call(__NR_execve, (long)path, (long)argv, (long)envp);
}

/* write(2): the bytes written, or -errno. */
static inline long system_write(int fd, const char *bytes, size_t length)
{
    return system_call(__NR_write, fd, (long)bytes, (long)length);
}

/*
 * getcwd(2): fills `buffer` with the working directory and a NUL, gives their length, or -errno: ENOENT when it was
 * removed, ERANGE when it is longer. A directory outside the root of the caller begins with "(unreachable)".
 */
static inline long system_getcwd(char *buffer, size_t size)
{
    return system_call(__NR_getcwd, (long)buffer, (long)size, 0);
}

/* exit_group(2): never returns. */
static inline void __attribute__((noreturn)) system_exit(int status)
{
    for (;;)
        system_call(__NR_exit_group, status, 0, 0);
}

#endif
