/*
 * hallpass-request: asks hallpass in advance, from inside the sandbox. It makes one execve of a path that never
 * exists; hallpass reads the path, asks, and the errno of that execve is the reply.
 */
#include "request/request.h"
#include "request/system.h"

/* A target of 4096 control bytes, shown as \xNN, and the words around it. */
#define LINE_SIZE (4 * REQUEST_LIMIT + 256)

static const char HELP[] =
    "usage: hallpass-request [check] write PATH [--for DURATION] [--reason TEXT]\n"
    "       hallpass-request [check] exec PROG [--for DURATION] [--reason TEXT]\n"
    "       hallpass-request [check] connect DEST [--for DURATION] [--reason TEXT]\n"
    "       hallpass-request release write|exec|connect PATH|PROG|DEST\n"
    "\n"
    "Asks the user, through hallpass, for a permission before it is needed; waits for the answer.\n"
    "  PATH      a file, or a folder with all below it as 'DIR/**' (in quotes); no other glob\n"
    "  PROG      a path, or a name found in $PATH\n"
    "  DEST      [tcp:|udp:]ADDRESS[/N][:PORT[-PORT]], unix:/path, unix:@name\n"
    "  check     says what a request would get; asks nobody\n"
    "  release   gives back what a request of this session was granted for exactly this target\n"
    "  --for     90s, 10m, 2h, 1h30m; without it a grant lasts for the session\n"
    "  --reason  a sentence for the user: what it is needed for\n"
    "  --        ends the options\n"
    "\n"
    "exit code: 0 granted or released; 1 already allowed, nobody was asked; 2 usage error;\n"
    "  3 denied; 4 nobody answered in time; 5 (check) a request would ask;\n"
    "  6 malformed, too long, or PROG not in $PATH; 7 this category is not mediated;\n"
    "  8 not running under hallpass; 9 unexpected; 10 (release) no grant matches\n";

static char path_buffer[REQUEST_LIMIT + 1];
static char cwd_buffer[REQUEST_LIMIT];
static char line_buffer[LINE_SIZE];

static void write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        long written = system_write(fd, bytes, length);
        if (written <= 0)
            return;
        bytes += written;
        length -= (size_t)written;
    }
}

static struct text start_line(void)
{
    struct text line = text_in(line_buffer, sizeof line_buffer - 1);
    text_add(&line, "hallpass-request: ");
    return line;
}

/* One write(2), so that the lines of several callers do not mix. */
static void print_line(struct text *line)
{
    line->bytes[line->length] = '\n';
    write_all(2, line->bytes, line->length + 1);
}

static int refuse(int exit_code, const char *what, const char *word)
{
    struct text line = start_line();
    text_add(&line, what);
    if (word != NULL) {
        text_add(&line, " ");
        text_add_shown(&line, word);
    }
    if (exit_code == EXIT_USAGE)
        text_add(&line, " (hallpass-request --help tells more)");
    print_line(&line);
    return exit_code;
}

static const char *find_home(char *const *envp)
{
    for (; *envp != NULL; envp++)
        if (starts_with(*envp, "HOME=/"))
            return *envp + length_of("HOME=");
    return NULL;
}

/* The working directory, or NULL where it has no name: removed, too long, or outside the caller's root. */
static const char *find_cwd(void)
{
    long length = system_getcwd(cwd_buffer, sizeof cwd_buffer);
    return length > 0 && cwd_buffer[0] == '/' ? cwd_buffer : NULL;
}

static int make_request(const struct request *request, const char *path)
{
    char name[] = "hallpass-request";
    char *argv[] = {name, NULL};
    char *envp[] = {NULL};
    struct text line = start_line();
    long result = system_execve(path, argv, envp);
    int exit_code = explain_reply(request, result < 0 ? (int)-result : 0, &line);
    print_line(&line);
    return exit_code;
}

int main(int argc, char **argv, char **envp)
{
    struct request request;
    struct complaint complaint;
    struct text path = text_in(path_buffer, sizeof path_buffer);
    switch (parse_arguments(argc > 0 ? argv + 1 : argv, &request, &complaint)) {
    case PARSED_HELP:
        write_all(1, HELP, sizeof HELP - 1);
        return 0;
    case PARSED_COMPLAINT:
        return refuse(EXIT_USAGE, complaint.what, complaint.word);
    case PARSED_REQUEST:
        break;
    }
    if (!write_magic_path(&request, find_cwd(), find_home(envp), &path))
        return refuse(EXIT_MALFORMED, "the working directory has no name here; give an absolute path, not",
                      request.target);
    if (path.overflowed)
        return refuse(EXIT_MALFORMED, "the request is over 4096 bytes; give a shorter target or reason", NULL);
    return make_request(&request, path.bytes);
}
