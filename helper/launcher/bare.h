/*
 * A program without a libc: entry point, memory, numbers. With HOSTED it is an ordinary program instead (sanitizers).
 * System calls are raw_syscall.h's: >= 0 or -errno.
 */
#ifndef HALLPASS_BARE_H
#define HALLPASS_BARE_H

#include <stddef.h>
#include <stdint.h>

#include "raw_syscall.h"
#include "uapi.h"

/* What the program does: the value is its exit code. */
int bare_main(int count, char **arguments, char **environment);

void bare_exit(int code) __attribute__((noreturn));

#ifdef HOSTED
#include <string.h>
#else
/* The compiler may call these by itself, so they must exist. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *one, const void *other, size_t size);
size_t strlen(const char *text);
#endif

/* Anonymous memory, zeroed; NULL where there is none. Lives until the program ends. */
void *bare_allocate(size_t size);

/* The number in decimal at `to` (room for 12), returns how many characters; no NUL. */
size_t bare_decimal(char *to, uint32_t number);

/* Digits at `*text` as a number; `*text` moves behind them. */
uint32_t bare_number(const char **text);

/* Reads a whole small file: its length (a NUL follows, so `capacity` - 1 at most), or -errno. */
long bare_read_file(const char *path, char *to, size_t capacity);

#endif
