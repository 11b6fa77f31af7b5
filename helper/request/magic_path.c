/* The magic path: a path that never exists, whose execve hallpass reads as a request. */
#include "request.h"

static const char MAGIC[] = "/.hallpass/1/request?do=";

/* A bare program name is looked up by hallpass in the session's $PATH, and a destination is no path. */
static bool is_path(const struct request *request)
{
    if (is_equal(request->category, "write"))
        return true;
    if (!is_equal(request->category, "exec"))
        return false;
    for (const char *at = request->target; *at != '\0'; at++)
        if (*at == '/')
            return true;
    return is_equal(request->target, "~");
}

static bool is_below_home(const char *target)
{
    return target[0] == '~' && (target[1] == '\0' || target[1] == '/');
}

/* Appends the target, absolute. `..` and symlinks are left to hallpass, which resolves them as the kernel would. */
static bool add_target(const struct request *request, const char *cwd, const char *home, struct text *path)
{
    const char *target = request->target;
    if (!is_path(request) || target[0] == '/') {
        text_add_encoded(path, target);
        return true;
    }
    if (is_below_home(target)) {
        text_add_encoded(path, home != NULL ? home : "~");
        text_add_encoded(path, target + 1);
        return true;
    }
    if (cwd == NULL)
        return false;
    text_add_encoded(path, is_equal(cwd, "/") ? "" : cwd);
    text_add_encoded(path, "/");
    text_add_encoded(path, target);
    return true;
}

bool write_magic_path(const struct request *request, const char *cwd, const char *home, struct text *path)
{
    text_add(path, MAGIC);
    text_add(path, request->action);
    text_add(path, "&op=");
    text_add(path, request->category);
    text_add(path, "&target=");
    if (!add_target(request, cwd, home, path))
        return false;
    if (request->duration != NULL) {
        text_add(path, "&for=");
        text_add_encoded(path, request->duration);
    }
    if (request->reason != NULL && request->reason[0] != '\0') {
        text_add(path, "&reason=");
        text_add_encoded(path, request->reason);
    }
    return true;
}
