/* Who is in the sandbox: every descendant of the launcher, which as a subreaper loses none. */
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/signal.h>
#include <linux/time_types.h>

#include "launcher.h"

enum { MOST_PROCESSES = 65536, STAT_BYTES = 512, DIRENT_BYTES = 32768, CHILDREN_BYTES = 1 << 20 };

struct process {
    int32_t pid;
    int32_t parent;
    int8_t is_zombie;
    int8_t is_inside;
};

struct table {
    uint32_t count;
    struct process processes[MOST_PROCESSES];
};

/* "PID (name, which may hold anything) STATE PARENT ...": the last `)` ends the name. */
static int read_process(const char *name, struct process *process)
{
    char path[32] = "/proc/";
    char text[STAT_BYTES];
    size_t length = strlen(name);
    memcpy(path + 6, name, length);
    memcpy(path + 6 + length, "/stat", 6);
    long got = bare_read_file(path, text, sizeof text);
    while (got > 0 && text[got] != ')')
        got--;
    if (got <= 0)
        return 0;
    const char *at = text + got + 4;
    const char *number = name;
    process->pid = (int32_t)bare_number(&number);
    process->is_zombie = text[got + 2] == 'Z' || text[got + 2] == 'X';
    process->parent = (int32_t)bare_number(&at);
    process->is_inside = 0;
    return 1;
}

static void read_entries(struct table *table, char *entries, long length)
{
    for (long at = 0; at < length && table->count < MOST_PROCESSES;) {
        uint16_t size;
        memcpy(&size, entries + at + 16, sizeof size);
        const char *name = entries + at + 19;
        if (*name >= '1' && *name <= '9' && strlen(name) < 11 && read_process(name, &table->processes[table->count]))
            table->count++;
        at += size;
    }
}

/* /proc lists processes by ascending number, so the table is sorted. */
static const struct process *find(const struct table *table, int32_t pid)
{
    uint32_t low = 0;
    uint32_t high = table->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (table->processes[middle].pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->count && table->processes[low].pid == pid ? &table->processes[low] : NULL;
}

static int is_child_of_inside(const struct table *table, const struct process *process, int32_t self)
{
    if (process->parent == self)
        return 1;
    const struct process *parent = find(table, process->parent);
    return parent && parent->is_inside;
}

/* Parents mostly have lower numbers than their children, so two passes do, and more where numbers went round. */
static void mark_inside(struct table *table)
{
    int32_t self = (int32_t)SYS0(getpid);
    for (int has_changed = 1; has_changed;) {
        has_changed = 0;
        for (uint32_t i = 0; i < table->count; i++) {
            struct process *process = &table->processes[i];
            if (process->is_inside || !is_child_of_inside(table, process, self))
                continue;
            process->is_inside = 1;
            has_changed = 1;
        }
    }
}

/* All descendants as /proc has them now; NULL if it cannot be read. */
static struct table *read_table(void)
{
    static struct table *table;
    static char *entries;
    if (!table)
        table = bare_allocate(sizeof *table);
    if (!entries)
        entries = bare_allocate(DIRENT_BYTES);
    long proc = SYS4(openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (!table || !entries || proc < 0)
        return NULL;
    table->count = 0;
    long length;
    while ((length = SYS3(getdents64, proc, entries, DIRENT_BYTES)) > 0)
        read_entries(table, entries, length);
    SYS1(close, proc);
    mark_inside(table);
    return table;
}

uint32_t count_left(void)
{
    const struct table *table = read_table();
    uint32_t count = 0;
    for (uint32_t i = 0; table && i < table->count; i++)
        count += table->processes[i].is_inside && !table->processes[i].is_zombie;
    return count;
}

/*
 * Kills our own children as the kernel lists them. Whoever's parent has ended is our child, so by and by everybody is;
 * and since only we reap our children, none of these numbers can have become somebody else's. -errno where the kernel
 * has no such list (CONFIG_PROC_CHILDREN).
 */
static long kill_children(void)
{
    static char *text;
    if (!text)
        text = bare_allocate(CHILDREN_BYTES);
    if (!text)
        return -ENOMEM;
    long length = bare_read_file("/proc/thread-self/children", text, CHILDREN_BYTES);
    for (const char *at = text; length > 0 && at < text + length; at++) {
        uint32_t pid = bare_number(&at);
        if (pid)
            SYS2(kill, pid, SIGKILL);
    }
    return length;
}

static void kill_by_table(void)
{
    const struct table *table = read_table();
    for (uint32_t i = 0; table && i < table->count; i++)
        if (table->processes[i].is_inside && !table->processes[i].is_zombie)
            SYS2(kill, table->processes[i].pid, SIGKILL);
}

/* Against a crowd that forks as fast as it can we need our turns; without privilege this fails, and is no loss. */
static void hurry(void)
{
    int priority = 1;
    SYS3(sched_setscheduler, 0, 1 /* SCHED_FIFO */, &priority);
}

/* Without the scope: CMD's group at one stroke, then whoever is left, one by one. */
static void kill_one_by_one(const struct launcher *launcher, int round)
{
    if (round == 0)
        SYS2(kill, -launcher->command_pid, SIGKILL);
    if (kill_children() < 0 || round % 64 == 63)
        kill_by_table();
}

/* True when no child is left: as a subreaper that means nobody. */
static int reap_all(void)
{
    long reaped;
    do {
        reaped = SYS4(wait4, -1, NULL, 1 /* WNOHANG */ | 0x40000000 /* __WALL */, NULL);
    } while (reaped > 0);
    return reaped == -ECHILD;
}

/*
 * Ends every process of the sandbox and returns when none is left, or after a while: what hangs in a device ends when
 * the device lets it.
 */
void kill_everything(const struct launcher *launcher)
{
    struct __kernel_timespec pause = {0, 1000000};
    hurry();
    for (int round = 0; round < 10000; round++) {
        if (launcher->has_scope)
            SYS2(kill, -1, SIGKILL);
        else
            kill_one_by_one(launcher, round);
        if (reap_all())
            return;
        if (launcher->has_scope || round % 16 == 15)
            SYS2(nanosleep, &pause, NULL);
    }
}
