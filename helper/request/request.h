/* A request in advance: from arguments to the magic path, and from the errno of its execve to an exit code. */
#ifndef HALLPASS_REQUEST_REQUEST_H
#define HALLPASS_REQUEST_REQUEST_H

#include <stdbool.h>

#include "text.h"

/* The longest magic path, without its NUL; a longer request is refused before it is made. */
#define REQUEST_LIMIT 4096

/* Exit codes; the whole table is in the help text. */
#define EXIT_GRANTED    0
#define EXIT_USAGE      2
#define EXIT_MALFORMED  6
#define EXIT_UNEXPECTED 9

/*
 * request  +--------+------------+----------+----------------+--------------+
 *          | action | category   | target   | duration|NULL  | reason|NULL  |
 *          +--------+------------+----------+----------------+--------------+
 * `action` is "ask", "check" or "release"; `category` "write", "exec" or "connect". Strings are those of argv.
 */
struct request {
    const char *action;
    const char *category;
    const char *target;
    const char *duration;
    const char *reason;
};

/* What is wrong with the arguments: `what`, and the word it is about, or NULL. */
struct complaint {
    const char *what;
    const char *word;
};

enum parsed { PARSED_REQUEST, PARSED_HELP, PARSED_COMPLAINT };

/* Reads the arguments (a NULL at their end, the program's name left out) into `request` or `complaint`. */
enum parsed parse_arguments(char *const *arguments, struct request *request, struct complaint *complaint);

/*
 * Writes the magic path of `request` into `path`. A target that is a path is made absolute: `~` by `home` where that
 * is not NULL, a relative one by `cwd` (the caller's, absolute, or NULL). Gives false when a relative target needs
 * a `cwd` that is NULL. A path over the limit shows as `path->overflowed`.
 */
bool write_magic_path(const struct request *request, const char *cwd, const char *home, struct text *path);

/* Writes one line on what errno `number` of the execve says about `request`, and gives the exit code. */
int explain_reply(const struct request *request, int number, struct text *line);

#endif
