/*
 * calls SCRIPT FOLDER: in FOLDER, makes the system calls that SCRIPT lists, one a line, and prints what each returned:
 * a value, or the errno with a minus. A line is NUMBER ARG...; an ARG is 123 0x1f 0644 -1   a number          - NULL
 *   "text              a string (%xx for odd bytes)
 *   $N                 the result of line N (from 1); $-N: of N lines before
 *   &hex               bytes             @N       a buffer of N zero bytes
 *   !N                 an address that is not mapped, N bytes long readable before it (a string cut off by the end of
 * memory) ^hex,hex...        an array of pointers to byte strings, NULL at its end "nap MS" and "look PATH" (type and
 * mode, size, owner) are no calls of their own. "32" before NUMBER makes the call by the 32-bit gate of x86.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096, ARENA = 8 << 20 };

static long results[MOST];
static int current;
static char *arena;
static size_t used;

static void *take(size_t size)
{
    void *at = arena + used;
    used = (used + size + 15) & ~(size_t)15;
    return at;
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

static char *string_of(const char *text)
{
    char *out = take(strlen(text) + 1);
    char *at = out;
    for (; *text; text++) {
        if (*text == '%' && text[1] && text[2]) {
            *at++ = (char)(digit(text[1]) << 4 | digit(text[2]));
            text += 2;
        } else {
            *at++ = *text;
        }
    }
    *at = 0;
    return out;
}

static char *bytes_of(const char *hex)
{
    size_t length = strlen(hex) / 2;
    char *out = take(length + 16);
    for (size_t i = 0; i < length; i++)
        out[i] = (char)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return out;
}

/* `length` bytes 'a', then nothing is mapped. */
static char *cut_off(long length)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    mprotect(page + 4096, 4096, PROT_NONE);
    memset(page, 'a', 4096);
    return page + 4096 - length;
}

static char **pointers_of(char *list, int is_narrow)
{
    void *out = take(64 * sizeof(char *));
    int count = 0;
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) {
        char *text = bytes_of(word);
        if (is_narrow)
            ((uint32_t *)out)[count++] = (uint32_t)(uintptr_t)text;
        else
            ((char **)out)[count++] = text;
    }
    return out;
}

static long argument(char *word, int is_narrow)
{
    switch (word[0]) {
    case '"':
        return (long)string_of(word + 1);
    case '$':
        return results[word[1] == '-' ? current + atoi(word + 1) : atoi(word + 1)];
    case '&':
        return (long)bytes_of(word + 1);
    case '@': {
        size_t size = (size_t)atol(word + 1);
        return (long)memset(take(size + 16), 0, size);
    }
    case '!':
        return (long)cut_off(atol(word + 1));
    case '^':
        return (long)pointers_of(word + 1, is_narrow);
    default:
        return word[0] == '-' && word[1] == 0 ? 0 : (long)strtoull(word, NULL, 0);
    }
}

#if defined(__x86_64__)
static long narrow_call(long number, const long *a)
{
    long result;
    __asm__ volatile("push %%rbp\n\tmov %7, %%rbp\n\tint $0x80\n\tpop %%rbp"
                     : "=a"(result)
                     : "a"(number), "b"(a[0]), "c"(a[1]), "d"(a[2]), "S"(a[3]), "D"(a[4]), "r"(a[5])
                     : "memory", "r8", "r9", "r10", "r11");
    return (long)(int32_t)result;
}
#else
static long narrow_call(long number, const long *a)
{
    (void)number;
    (void)a;
    return -ENOSYS;
}
#endif

static long describe(const char *path)
{
    struct stat s;
    if (lstat(path, &s))
        return -errno;
    printf("%06o %ld %u:%u ", s.st_mode, S_ISDIR(s.st_mode) ? 0L : (long)s.st_size, s.st_uid, s.st_gid);
    return 0;
}

static long perform(char *line)
{
    char *words[8] = {0};
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \n", &rest); word && count < 8; word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    if (count == 0)
        return 0;
    if (!strcmp(words[0], "look"))
        return describe(string_of(words[1]));
    if (!strcmp(words[0], "nap"))
        return usleep((useconds_t)atoi(words[1]) * 1000);
    int is_narrow = !strcmp(words[0], "32");
    long a[6] = {0};
    for (int i = is_narrow + 1; i < count; i++)
        a[i - is_narrow - 1] = argument(words[i], is_narrow);
    long number = strtol(words[is_narrow], NULL, 0);
    if (is_narrow)
        return narrow_call(number, a);
    errno = 0;
    long result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result < 0 ? -errno : result;
}

int main(int argc, char **argv)
{
    FILE *script = argc > 2 ? fopen(argv[1], "re") : NULL;
    if (!script || chdir(argv[2]))
        return 2;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_32BIT
    flags |= MAP_32BIT;
#endif
    arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, flags, -1, 0);
    static char line[65536];
    for (int number = 1; number < MOST && fgets(line, sizeof line, script); number++) {
        used = 0;
        current = number;
        results[number] = perform(line);
        printf("%ld\n", results[number]);
        fflush(stdout);
    }
    return 0;
}
