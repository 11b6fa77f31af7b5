#include "bare.h"

#include <linux/fcntl.h>
#include <linux/mman.h>

void bare_exit(int code)
{
    for (;;)
        SYS1(exit_group, code);
}

#ifdef HOSTED
/* Looking for leaks at the end needs ptrace, which a program that nobody may look into cannot have. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

int main(int count, char **arguments, char **environment)
{
    return bare_main(count, arguments, environment);
}
#else

/* The kernel leaves the argument count where the stack pointer points, then arguments, NULL, environment, NULL. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call bare_start\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n mov x29, xzr\n mov x30, xzr\n mov x0, sp\n bl bare_start\n");
#endif

void bare_start(long *stack) __attribute__((noreturn, used));

void bare_start(long *stack)
{
    int count = (int)stack[0];
    char **arguments = (char **)(stack + 1);
    bare_exit(bare_main(count, arguments, arguments + count + 1));
}

void *memcpy(void *to, const void *from, size_t size)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    while (size--)
        *out++ = *in++;
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    unsigned char *out = to;
    while (size--)
        *out++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one;
    const unsigned char *b = other;
    for (; size; a++, b++, size--)
        if (*a != *b)
            return *a - *b;
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length])
        length++;
    return length;
}
#endif

void *bare_allocate(size_t size)
{
    long address = SYS6(mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return address < 0 && address > -4096 ? NULL : (void *)address;
}

size_t bare_decimal(char *to, uint32_t number)
{
    char digits[12];
    size_t length = 0;
    do {
        digits[length++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    for (size_t i = 0; i < length; i++)
        to[i] = digits[length - 1 - i];
    return length;
}

uint32_t bare_number(const char **text)
{
    uint32_t number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        number = number * 10 + (uint32_t)(**text - '0');
    return number;
}

long bare_read_file(const char *path, char *to, size_t capacity)
{
    long fd = SYS4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return fd;
    size_t length = 0;
    long got = 0;
    while (length < capacity - 1 && (got = SYS3(read, fd, to + length, capacity - 1 - length)) > 0)
        length += (size_t)got;
    SYS1(close, fd);
    to[length] = 0;
    return got < 0 ? got : (long)length;
}
