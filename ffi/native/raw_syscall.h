/*
 * Raw system calls: the result is the kernel's own, >= 0 or -errno, and no libc stands between (a libc would spread
 * setgroups and friends over all threads, and keeps errno in a place bun:ffi cannot promise to read).
 */
#ifndef HALLPASS_RAW_SYSCALL_H
#define HALLPASS_RAW_SYSCALL_H

#include <asm/unistd.h>

#if defined(__x86_64__)

static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

static inline long raw_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}

#else
#error "hallpass runs on amd64 and arm64"
#endif

#define SYS6(name, a, b, c, d, e, f)                                                                                   \
    raw_syscall(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define SYS5(name, a, b, c, d, e) SYS6(name, a, b, c, d, e, 0)
#define SYS4(name, a, b, c, d)    SYS6(name, a, b, c, d, 0, 0)
#define SYS3(name, a, b, c)       SYS6(name, a, b, c, 0, 0, 0)
#define SYS2(name, a, b)          SYS6(name, a, b, 0, 0, 0, 0)
#define SYS1(name, a)             SYS6(name, a, 0, 0, 0, 0, 0)
#define SYS0(name)                SYS6(name, 0, 0, 0, 0, 0, 0)

#endif
