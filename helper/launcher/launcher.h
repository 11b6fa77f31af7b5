/* The launcher's parts; launcher.c tells the whole story. */
#ifndef HALLPASS_LAUNCHER_H
#define HALLPASS_LAUNCHER_H

#include "bare.h"
#include "protocol.h"

/* Memory that the launcher and the child before its exec share. */
struct handover {
    int32_t listener; /* 0 until the child has it; then its number + 1, or -errno */
    int32_t taken;    /* 1 once the launcher has it */
    int32_t parted;   /* 1 once the child has a descriptor table of its own */
    int32_t stage;    /* where the child failed */
    int32_t error;    /* errno, positive */
};

struct launcher {
    const struct launch_block *block;
    int32_t cwd_fd;
    int32_t ruleset_fd;
    int32_t terminal_fd; /* the user's own */
    int32_t testament_fd;
    int32_t passed[MOST_PASSED];
    int32_t job_fd; /* the controlling terminal, for job control; -1 without one */
    int32_t listener_fd;
    int32_t signal_fd;
    int32_t command_pid; /* CMD and its process group */
    int32_t scope_fd;    /* the ruleset that keeps signals inside, -1 without */
    int has_scope;       /* kill(-1) reaches the sandbox and nothing else */
    int32_t home_group;  /* hallpass's process group, which has its terminal without a pty */
    int has_lent;        /* without a pty: CMD's group has hallpass's terminal */
    int has_ended;       /* CMD */
    int is_released;
    struct handover *handover;
};

/* block.c: fetches the launch block and its descriptors; 0 or -errno, with the stage in `*stage`. */
long receive_block(struct launcher *launcher, enum stage *stage);
const void *block_at(const struct launcher *launcher, uint32_t offset);

/* scope.c: from here on nothing that we start can signal anybody outside, and neither can we. */
void enter_scope(struct launcher *launcher);
void enter_inner_scope(const struct launcher *launcher);

/* child.c: in the child, never returns. */
void become_command(struct launcher *launcher) __attribute__((noreturn));

/* listener.c */
long await_listener(struct launcher *launcher);
long part_tables(struct launcher *launcher);
void set_and_wake(int32_t *word, int32_t value);
void refuse_call(const struct launcher *launcher);

/* terminal.c */
long give_terminal(const struct launcher *launcher, int32_t group);
void rescue_modes(const struct launcher *launcher);
void rescue_screen(const struct launcher *launcher);
void continue_command(struct launcher *launcher);
int answer_stop(struct launcher *launcher, int signal);

/* processes.c */
uint32_t count_left(void);
void kill_everything(const struct launcher *launcher);

/* report.c */
void send_report(uint32_t kind, int32_t pid, int32_t status, uint32_t extra, int32_t fd);

#endif
