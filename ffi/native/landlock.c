/* landlock(7). */
#include <linux/landlock.h>

#include "hallpass.h"

/* The ABI of this kernel, 1 or more; ENOSYS or EOPNOTSUPP without Landlock. */
EXPORT int32_t hp_landlock_abi(void)
{
    return (int32_t)SYS3(landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* A ruleset fd (CLOEXEC) that the caller owns. `size` is that of the ABI: 8, from 4 on 16, from 6 on 24 bytes. */
EXPORT int32_t hp_landlock_create(uint32_t handled_fs, uint32_t handled_net, uint32_t scoped, uint32_t size)
{
    struct hp_landlock_ruleset_attr attributes = {handled_fs, handled_net, scoped};
    return (int32_t)SYS3(landlock_create_ruleset, &attributes, (unsigned long)size, 0);
}

/* The rule holds the object that `parent_fd` is open on, not its name; the fd may be closed afterwards. */
EXPORT int32_t hp_landlock_allow_path(int32_t ruleset, int32_t parent_fd, uint32_t access)
{
    struct landlock_path_beneath_attr rule = {access, parent_fd};
    return (int32_t)SYS4(landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/*
 * struct landlock_net_port_attr, ABI 4
 *   0 allowed_access   8 port   = 16 bytes
 */
EXPORT int32_t hp_landlock_allow_port(int32_t ruleset, uint32_t port, uint32_t access)
{
    uint64_t rule[2] = {access, port};
    return (int32_t)SYS4(landlock_add_rule, ruleset, LANDLOCK_RULE_NET_PORT, rule, 0);
}

/* The calling thread and what it starts enter the domain for good; needs no_new_privs or CAP_SYS_ADMIN. */
EXPORT int32_t hp_landlock_restrict_self(int32_t ruleset, uint32_t flags)
{
    return (int32_t)SYS2(landlock_restrict_self, ruleset, flags);
}
