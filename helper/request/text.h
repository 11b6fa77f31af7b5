/* Bounded text: bytes are appended until the capacity is met, then `overflowed` says so. No allocation. */
#ifndef HALLPASS_REQUEST_TEXT_H
#define HALLPASS_REQUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * text   +----------+--------+----------+------------+
 *        | bytes *  | length | capacity | overflowed |
 *        +----------+--------+----------+------------+
 * `bytes` is the caller's and holds capacity + 1; it always ends in a NUL.
 */
struct text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool overflowed;
};

/* Starts an empty text in a buffer of `size` bytes (at least 1), one of which is kept for the NUL. */
struct text text_in(char *buffer, size_t size);

/* Appends `string` as it is. */
void text_add(struct text *text, const char *string);

/* Appends `string` with every byte that is not A-Z a-z 0-9 - . _ ~ as %NN, as encodeURIComponent would. */
void text_add_encoded(struct text *text, const char *string);

/* Appends `string` with control bytes as \xNN, so that it stays on one line. */
void text_add_shown(struct text *text, const char *string);

/* Appends `number` in decimal. */
void text_add_number(struct text *text, unsigned int number);

/* Whether the two strings are equal; whether the first begins with the second. */
bool is_equal(const char *one, const char *other);
bool starts_with(const char *string, const char *prefix);
size_t length_of(const char *string);

#endif
