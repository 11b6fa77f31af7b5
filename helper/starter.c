/*
 * build/hallpass, what bin/hallpass runs: writes down how hallpass was started, before Bun changes any of it, then
 * becomes Bun. The record is a memfd whose number is in HALLPASS_START; src/supervisor/start-state.ts reads it.
 *
 * Bun would run what a bunfig.toml, tsconfig.json or .env of the working directory says, and what BUN_ and LD_
 * variables say: the folder that hallpass is to guard against must have no say in hallpass itself.
 */
#include <linux/fcntl.h>
#include <linux/signal.h>

#include "launcher/bare.h"

enum { START_MAGIC = 0x31535048 /* "HPS1" */, LIMITS = 16, LAST_SIGNAL = 64, MOST_FDS = 200, LONGEST_PATH = 4096 };

/*
 *   0 magic   4 size   8 blocked   16 ignored   24 limits[16] (soft u64, hard u64)   280 umask   284 argument_count
 *   288 environment_count   292 descriptor_count   = 296 bytes, then descriptors, arguments, environment
 */
struct start_record {
    uint32_t magic;
    uint32_t size;
    uint64_t blocked;
    uint64_t ignored;
    uint64_t limits[LIMITS][2];
    uint32_t umask;
    uint32_t argument_count;
    uint32_t environment_count;
    uint32_t descriptor_count;
};

static void say(const char *text)
{
    SYS3(write, 2, text, strlen(text));
}

static void die(const char *what, const char *object, const char *next) __attribute__((noreturn));

static void die(const char *what, const char *object, const char *next)
{
    say("hallpass: ");
    say(what);
    say(object);
    say(next);
    bare_exit(125);
}

static void record_signals(struct start_record *record)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } action;
    SYS4(rt_sigprocmask, SIG_BLOCK, NULL, &record->blocked, sizeof record->blocked);
    for (uint32_t signal = 1; signal <= LAST_SIGNAL; signal++)
        if (SYS4(rt_sigaction, signal, NULL, &action, sizeof action.mask) == 0 && action.handler == (void *)1)
            record->ignored |= 1ULL << (signal - 1);
}

/* A standard stream that is closed would be the next file anybody opens, the record first. */
static void fill_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (SYS3(fcntl, fd, F_GETFD, 0) < 0)
            SYS4(openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
}

static uint32_t open_descriptors(uint32_t *numbers)
{
    uint32_t count = 0;
    for (uint32_t fd = 3; fd < 1024 && count < MOST_FDS; fd++)
        if (SYS3(fcntl, fd, F_GETFD, 0) >= 0)
            numbers[count++] = fd;
    return count;
}

static uint32_t count_of(char **strings)
{
    uint32_t count = 0;
    while (strings[count])
        count++;
    return count;
}

/* The kernel lays the strings of a vector one behind the other. */
static size_t size_of(char **strings, uint32_t count)
{
    return count ? (size_t)(strings[count - 1] + strlen(strings[count - 1]) + 1 - strings[0]) : 0;
}

static void write_all(long fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        long written = SYS3(write, fd, at, size);
        if (written <= 0)
            die("cannot write to memory", "", " (out of memory?)\n");
        at += written;
        size -= (size_t)written;
    }
}

/* Returns the record's descriptor, which the exec keeps open. */
static long write_record(char **arguments, char **environment)
{
    static struct start_record record;
    static uint32_t descriptors[MOST_FDS];
    record.magic = START_MAGIC;
    record_signals(&record);
    for (uint32_t resource = 0; resource < LIMITS; resource++)
        SYS4(prlimit64, 0, resource, NULL, record.limits[resource]);
    record.umask = (uint32_t)SYS1(umask, 0);
    SYS1(umask, record.umask);
    record.descriptor_count = open_descriptors(descriptors);
    record.argument_count = count_of(arguments);
    record.environment_count = count_of(environment);
    size_t fds_size = record.descriptor_count * sizeof *descriptors;
    size_t arguments_size = size_of(arguments, record.argument_count);
    size_t environment_size = size_of(environment, record.environment_count);
    record.size = (uint32_t)(sizeof record + fds_size + arguments_size + environment_size);
    long fd = SYS2(memfd_create, "hallpass-start", 0);
    if (fd < 0)
        die("memfd_create failed", "", ": the kernel is too old or out of memory\n");
    write_all(fd, &record, sizeof record);
    write_all(fd, descriptors, fds_size);
    write_all(fd, arguments[0], arguments_size);
    write_all(fd, environment[0], environment_size);
    return fd;
}

static int begins_with(const char *text, const char *start)
{
    size_t length = strlen(start);
    return strlen(text) >= length && memcmp(text, start, length) == 0;
}

static int changes_bun(const char *variable)
{
    static const char *const names[] = {"BUN_", "JSC_", "NODE_", "LD_", "GCONV_PATH=", "MALLOC_", "HALLPASS_START="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins_with(variable, names[i]))
            return 1;
    return 0;
}

/* What Bun itself is given; CMD gets the environment as it was, out of the record. */
static char **environment_for_bun(char **environment, long record_fd)
{
    /* Bun's cache of what it compiled lies in the home: a program that may write there would write hallpass. */
    static char no_cache[] = "BUN_RUNTIME_TRANSPILER_CACHE_PATH=0";
    static char start[40] = "HALLPASS_START=";
    char **kept = bare_allocate((count_of(environment) + 3) * sizeof *kept);
    if (!kept)
        die("out of memory", "", "\n");
    size_t count = 0;
    for (char **at = environment; *at; at++)
        if (!changes_bun(*at))
            kept[count++] = *at;
    bare_decimal(start + strlen(start), (uint32_t)record_fd);
    kept[count++] = no_cache;
    kept[count] = start;
    return kept;
}

/* `root` followed by `rest`. */
static char *join(const char *root, size_t root_length, const char *rest)
{
    char *path = bare_allocate(root_length + strlen(rest) + 1);
    if (!path)
        die("out of memory", "", "\n");
    memcpy(path, root, root_length);
    memcpy(path + root_length, rest, strlen(rest) + 1);
    return path;
}

static char *join_three(const char *start, const char *root, size_t root_length, const char *rest)
{
    char *path = join(root, root_length, rest);
    return join(start, strlen(start), path);
}

/* This program is build/hallpass: everything else is found from its folder's parent. */
static size_t find_root(char *path)
{
    long length = SYS4(readlinkat, AT_FDCWD, "/proc/self/exe", path, LONGEST_PATH);
    for (int slashes = 0; length > 0 && slashes < 2; length--)
        slashes += path[length - 1] == '/';
    if (length < 0)
        die("/proc/self/exe cannot be read", "", ": is /proc mounted?\n");
    return (size_t)length;
}

/* What `make` has bundled, or the sources. */
static char *program_in(const char *root, size_t root_length)
{
    char *bundled = join(root, root_length, "/build/app/app.js");
    if (SYS3(faccessat, AT_FDCWD, bundled, 4 /* R_OK */) == 0)
        return bundled;
    return join(root, root_length, "/src/main.ts");
}

/* A standard stream that is closed reads and writes nothing, as under sudo: no descriptor of ours may take its number.
 */
static void fill_standard_streams(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (SYS3(fcntl, fd, F_GETFD, 0) < 0)
            SYS4(openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
}

int bare_main(int count, char **arguments, char **environment)
{
    static char root[LONGEST_PATH];
    static const char *const places[] = {"/.tools/bin/bun", "/node_modules/bun/bin/bun.exe", "/../bun/bin/bun.exe"};
    static char option_env[] = "--no-env-file";
    static char option_install[] = "--no-install";
    /* Bun keeps the first "--" behind the script for itself; it gets one of its own. */
    static char end_of_options[] = "--";
    fill_streams();
    size_t root_length = find_root(root);
    fill_standard_streams();
    long record = write_record(arguments, environment);
    char **to_bun = bare_allocate(((size_t)count + 10) * sizeof *to_bun);
    if (!to_bun)
        die("out of memory", "", "\n");
    size_t next = 0;
    to_bun[next++] = join("bun", 3, "");
    to_bun[next++] = join("--config=/dev/null", 18, "");
    to_bun[next++] = option_env;
    to_bun[next++] = option_install;
    /* A tsconfig.json of the working directory could send every import elsewhere, the workers' too. */
    to_bun[next++] = join_three("--tsconfig-override=", root, root_length, "/tsconfig.json");
    to_bun[next++] = program_in(root, root_length);
    to_bun[next++] = end_of_options;
    for (int i = 1; i < count; i++)
        to_bun[next++] = arguments[i];
    char **environment_to_bun = environment_for_bun(environment, record);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        SYS3(execve, join(root, root_length, places[i]), to_bun, environment_to_bun);
    die("there is no bun below ", join(root, root_length, ""), ": run `npm run build` there\n");
}
