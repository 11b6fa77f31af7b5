/* Bounded text and the few string functions that are needed; none of libc's, which may not be there. */
#include "text.h"

static const char HEX_DIGITS[] = "0123456789ABCDEF";

struct text text_in(char *buffer, size_t size)
{
    buffer[0] = '\0';
    return (struct text){.bytes = buffer, .length = 0, .capacity = size - 1, .overflowed = false};
}

static void add_byte(struct text *text, char byte)
{
    if (text->length == text->capacity) {
        text->overflowed = true;
        return;
    }
    text->bytes[text->length++] = byte;
    text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
    for (; *string != '\0'; string++)
        add_byte(text, *string);
}

static void add_hex(struct text *text, const char *prefix, unsigned char byte)
{
    text_add(text, prefix);
    add_byte(text, HEX_DIGITS[byte >> 4]);
    add_byte(text, HEX_DIGITS[byte & 15]);
}

static bool is_unreserved(char byte)
{
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

void text_add_encoded(struct text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        if (is_unreserved(*string))
            add_byte(text, *string);
        else
            add_hex(text, "%", (unsigned char)*string);
    }
}

void text_add_shown(struct text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        unsigned char byte = (unsigned char)*string;
        if (byte < 0x20 || byte == 0x7f)
            add_hex(text, "\\x", byte);
        else
            add_byte(text, *string);
    }
}

void text_add_number(struct text *text, unsigned int number)
{
    if (number >= 10)
        text_add_number(text, number / 10);
    add_byte(text, (char)('0' + number % 10));
}

bool is_equal(const char *one, const char *other)
{
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one == *other;
}

bool starts_with(const char *string, const char *prefix)
{
    while (*prefix != '\0' && *string == *prefix) {
        string++;
        prefix++;
    }
    return *prefix == '\0';
}

size_t length_of(const char *string)
{
    size_t length = 0;
    while (string[length] != '\0')
        length++;
    return length;
}
