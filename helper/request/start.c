/* What a libc would bring: the entry point, and the functions that the compiler may call by itself. */
#include <stddef.h>

#include "system.h"

int main(int argc, char **argv, char **envp);
__attribute__((noreturn, used)) void start_in_c(long *stack);
void *memcpy(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);

/*
 * The kernel starts a program with the stack pointer at: argc, argv[0] ... NULL, envp[0] ... NULL, auxv.
 * The ABIs of both machines want the stack aligned to 16 bytes at a call.
 */
#if defined(__x86_64__)
__asm__(".globl _start\n"
        "_start:\n"
        "  xor %ebp, %ebp\n"
        "  mov %rsp, %rdi\n"
        "  and $-16, %rsp\n"
        "  call start_in_c\n");
#elif defined(__aarch64__)
__asm__(".globl _start\n"
        "_start:\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  mov x0, sp\n"
        "  b start_in_c\n");
#endif

void start_in_c(long *stack)
{
    int argc = (int)stack[0];
    char **argv = (char **)(stack + 1);
    system_exit(main(argc, argv, argv + argc + 1));
}

void *memcpy(void *to, const void *from, size_t length)
{
    char *out = to;
    const char *in = from;
    while (length-- > 0)
        *out++ = *in++;
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    char *out = to;
    while (length-- > 0)
        *out++ = (char)byte;
    return to;
}
