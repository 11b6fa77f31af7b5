/*
 * What the supervisor (src/supervisor/launch-block.ts) and the launcher say to each other over a unix socket, the
 * launcher's fd 3. First one message of one byte with descriptors (SCM_RIGHTS), in this order where the flags name
 * them: the launch block (a memfd), working directory, ruleset, the user's terminal, the session's terminal, then
 * `passed_count` more. From then on commands go down and reports come up, each of fixed size.
 */
#ifndef HALLPASS_LAUNCHER_PROTOCOL_H
#define HALLPASS_LAUNCHER_PROTOCOL_H

#include <stdint.h>

enum { SOCKET_FD = 3, MOST_PASSED = 240, LIMIT_COUNT = 16, LAUNCH_MAGIC = 0x314c5048 /* "HPL1" */ };

enum launch_flag {
    LAUNCH_PTY = 1,        /* the session's own terminal comes along: the launcher leads it, CMD gets its foreground */
    LAUNCH_CWD = 2,        /* a working directory comes along */
    LAUNCH_FENCE = 4,      /* a Landlock ruleset comes along */
    LAUNCH_TERMINAL = 8,   /* the user's own terminal comes along, to be set right if hallpass is lost */
    LAUNCH_SCOPE = 16,     /* signals from inside stay inside (Landlock ABI 6) */
    LAUNCH_TESTAMENT = 32, /* a memfd comes along that says how the user's terminal is set right: testament.ts */
};

/*
 * The head of the launch block; offsets count from its start. Strings end with NUL and lie one behind the other.
 *
 *   0 magic   4 size   8 flags   12 umask   16 blocked   24 ignored   32 limits[16] (soft u64, hard u64)
 *   288 filter_at  292 filter_count  296 filter_flags  300 program_at  304 arguments_at  308 argument_count
 *   312 environment_at  316 environment_count  320 termios_at  324 reset_at  328 reset_length  332 passed_at
 *   336 passed_count  340 reserved   = 344 bytes
 */
struct launch_block {
    uint32_t magic;
    uint32_t size;
    uint32_t flags;
    uint32_t umask;
    uint64_t blocked; /* signal n is bit n - 1 */
    uint64_t ignored;
    uint64_t limits[LIMIT_COUNT][2];
    uint32_t filter_at;
    uint32_t filter_count;
    uint32_t filter_flags; /* besides NEW_LISTENER */
    uint32_t program_at;
    uint32_t arguments_at;
    uint32_t argument_count;
    uint32_t environment_at;
    uint32_t environment_count;
    uint32_t termios_at;
    uint32_t reset_at;
    uint32_t reset_length;
    uint32_t passed_at; /* u32 numbers the passed descriptors shall have in CMD */
    uint32_t passed_count;
    uint32_t reserved;
};

enum command_kind {
    COMMAND_SIGNAL = 1,       /* to CMD */
    COMMAND_SIGNAL_GROUP = 2, /* to CMD's process group */
    COMMAND_CONTINUE = 3,     /* give CMD its terminal back and continue it */
    COMMAND_RELEASE = 4,      /* CMD has ended and hallpass goes: refuse what is left its calls until it ends */
    COMMAND_KILL = 5,         /* end everything in the sandbox */
};

struct command {
    uint32_t kind;
    uint32_t signal;
};

enum report_kind {
    REPORT_READY = 1,   /* pid; the listener comes along; extra: 1 where signals stay inside */
    REPORT_FAILED = 2,  /* status: errno; extra: enum stage */
    REPORT_STOPPED = 3, /* CMD; status: the signal */
    REPORT_ENDED = 4,   /* CMD; status as wait(2) has it; extra: how many processes are left */
    REPORT_REAPED = 5,  /* another process */
    REPORT_GONE = 6,    /* nothing is left in the sandbox */
};

struct report {
    uint32_t kind;
    int32_t pid;
    int32_t status;
    uint32_t extra;
};

/* Where a launch failed. */
enum stage {
    STAGE_NONE,
    STAGE_RECEIVE,
    STAGE_BLOCK,
    STAGE_MEMORY,
    STAGE_FORK,
    STAGE_TERMINAL,
    STAGE_LIMITS,
    STAGE_FENCE,
    STAGE_FILTER,
    STAGE_DESCRIPTORS,
    STAGE_EXEC,
};

#endif
