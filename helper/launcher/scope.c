/* The launcher's own Landlock domain: everything it starts lies in it, hallpass and the rest of the machine do not. */
#include <linux/errno.h>

#include "launcher.h"

/*
 * With a domain around us that scopes signals, kill(-1) reaches every process of the sandbox at once, new ones
 * included, and nobody else: the only way to end a fork bomb surely. That it holds is tried on our own parent, who
 * stands outside: only a kernel that refuses us that signal gets kill(-1) from us.
 */
void enter_scope(struct launcher *launcher)
{
    launcher->scope_fd = -1;
    if (!(launcher->block->flags & LAUNCH_SCOPE))
        return;
    struct hp_landlock_ruleset_attr attributes = {0, 0, LANDLOCK_SCOPE_SIGNAL};
    long ruleset = SYS3(landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0)
        return;
    long parent = SYS0(getppid);
    if (SYS2(landlock_restrict_self, ruleset, 0) == 0)
        launcher->has_scope = parent > 1 && SYS2(kill, parent, 0) == -EPERM;
    launcher->scope_fd = (int32_t)ruleset;
}

/* A domain of the child's own inside ours: without it the target could signal us, who are in the outer one. */
void enter_inner_scope(const struct launcher *launcher)
{
    if (launcher->scope_fd >= 0)
        SYS2(landlock_restrict_self, launcher->scope_fd, 0);
}
