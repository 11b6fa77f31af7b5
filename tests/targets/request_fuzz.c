/*
 * request_fuzz SEED COUNT: makes COUNT random command lines of hallpass-request and checks what the parser, the magic
 * path and the reply line promise. Built with the sanitizers. Prints how many were requests; aborts on a broken
 * promise.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request/request.h"

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

static const char *const KNOWN[] = {"check",  "release", "write",  "exec",   "connect",      "--for", "--reason", "--",
                                    "--for=", "10m",     "1h30m",  "--help", "--reason=x y", "~/x",   "~",        "-",
                                    "DIR/**", "90s",     "--form", "",       "--reason=",    "./a/b", "0s",       "-h"};

static void require(bool holds, const char *promise)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", promise);
    abort();
}

/* A word in an allocation of its own length, so that a read past its end is seen. */
static char *draw_word(void)
{
    if (draw(4) != 0)
        return strdup(KNOWN[draw(sizeof KNOWN / sizeof KNOWN[0])]);
    size_t length = draw(8) == 0 ? draw(5000) : draw(12);
    char *word = malloc(length + 1);
    for (size_t at = 0; at < length; at++)
        word[at] = (char)(1 + draw(255));
    word[length] = '\0';
    return word;
}

static int hex_value(char digit)
{
    return digit <= '9' ? digit - '0' : digit - 'A' + 10;
}

/* Decodes the value of `key` out of a magic path; gives false where it is missing. */
static bool decode_value(const char *path, const char *key, char *out)
{
    const char *at = strstr(path, key);
    if (at == NULL)
        return false;
    for (at += strlen(key); *at != '\0' && *at != '&'; at++, out++) {
        *out = *at;
        if (*at == '%') {
            *out = (char)(hex_value(at[1]) * 16 + hex_value(at[2]));
            at += 2;
        }
    }
    *out = '\0';
    return true;
}

static bool ends_with(const char *string, const char *end)
{
    size_t length = strlen(string), end_length = strlen(end);
    return length >= end_length && strcmp(string + length - end_length, end) == 0;
}

static void check_path(const struct request *request)
{
    char buffer[REQUEST_LIMIT + 1], value[REQUEST_LIMIT + 1];
    struct text path = text_in(buffer, sizeof buffer);
    require(write_magic_path(request, "/work dir", "/home/me", &path), "a target with a cwd is always written");
    require(strlen(buffer) == path.length && path.length <= REQUEST_LIMIT, "the path ends where its length says");
    for (const char *at = buffer; *at != '\0'; at++)
        require(*at > 0x20 && *at < 0x7f, "only visible ASCII is sent");
    if (path.overflowed)
        return;
    const char *tail = request->target[0] == '~' ? request->target + 1 : request->target;
    require(decode_value(buffer, "&target=", value), "there is a target");
    require(ends_with(value, tail), "the target is the one that was given");
    bool has_reason = request->reason != NULL && request->reason[0] != '\0';
    require(decode_value(buffer, "&reason=", value) == has_reason, "a reason is sent where one was given");
    require(!has_reason || strcmp(value, request->reason) == 0, "the reason is the one that was given");
}

static void check_line(const struct request *request)
{
    char buffer[4 * 5000 + 256];
    struct text line = text_in(buffer, sizeof buffer);
    int exit_code = explain_reply(request, (int)draw(140), &line);
    require(exit_code >= 0 && exit_code <= 10 && exit_code != EXIT_USAGE, "a reply is one of the exit codes");
    require(!line.overflowed && strchr(buffer, '\n') == NULL && strchr(buffer, '\033') == NULL, "one clean line");
}

int main(int argc, char **argv)
{
    long requests = 0, count = argc > 2 ? atol(argv[2]) : 1000;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 2654435769u + 1 : 1;
    for (long turn = 0; turn < count; turn++) {
        char *words[9] = {NULL};
        uint32_t length = draw(8);
        struct request request;
        struct complaint complaint = {0};
        for (uint32_t at = 0; at < length; at++)
            words[at] = draw_word();
        enum parsed parsed = parse_arguments(words, &request, &complaint);
        require(parsed != PARSED_COMPLAINT || complaint.what != NULL, "a complaint says what is wrong");
        if (parsed == PARSED_REQUEST) {
            requests++;
            check_path(&request);
            check_line(&request);
        }
        for (uint32_t at = 0; at < length; at++)
            free(words[at]);
    }
    printf("%ld requests of %ld command lines\n", requests, count);
    return 0;
}
