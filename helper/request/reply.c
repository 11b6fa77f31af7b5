/* What the errno of the magic execve means: one line for the reader, one exit code for the program. */
#include <errno.h>

#include "request.h"

struct reply {
    int number;
    int exit_code;
    const char *meaning;
};

static const struct reply REPLIES[] = {
    {EALREADY, EXIT_GRANTED, "granted"},
    {ECANCELED, EXIT_GRANTED, "released"},
    {EEXIST, 1, "already allowed, nobody was asked"},
    {EPERM, 3, "denied"},
    {ETIMEDOUT, 4, "nobody answered in time"},
    {ENOMSG, 5, "not allowed yet: a request would ask"},
    {EINVAL, EXIT_MALFORMED, "hallpass cannot read this target, or the program is not in $PATH"},
    {ENAMETOOLONG, EXIT_MALFORMED, "the request is too long"},
    {ENOSYS, 7, "hallpass does not mediate this category here: nothing to grant"},
    {ENOENT, 8, "not running under hallpass"},
    {ESRCH, 10, "no grant of a request matches this target"},
};

static const struct reply *find_reply(int number)
{
    for (size_t at = 0; at < sizeof REPLIES / sizeof REPLIES[0]; at++)
        if (REPLIES[at].number == number)
            return &REPLIES[at];
    return NULL;
}

int explain_reply(const struct request *request, int number, struct text *line)
{
    const struct reply *reply = find_reply(number);
    if (reply != NULL) {
        text_add(line, reply->meaning);
    } else {
        text_add(line, "unexpected answer, errno ");
        text_add_number(line, (unsigned int)number);
    }
    text_add(line, ": ");
    text_add(line, request->category);
    text_add(line, " ");
    text_add_shown(line, request->target);
    if (number == EALREADY && request->duration != NULL) {
        text_add(line, " for ");
        text_add(line, request->duration);
    }
    return reply != NULL ? reply->exit_code : EXIT_UNEXPECTED;
}
