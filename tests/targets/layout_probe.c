/* Prints where the fields of the kernel's and our own structures lie, and how big they are: "struct.field offset". */
#include <stddef.h>
#include <stdio.h>

#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/poll.h>
#include <linux/resource.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <sys/signalfd.h>
#include <sys/vfs.h>

#include "../../ffi/native/uapi.h"
#include "../../helper/launcher/protocol.h"

#define FIELD(type, field) printf(#type "." #field " %zu\n", offsetof(struct type, field))
#define SIZE(type)         printf(#type " %zu\n", sizeof(struct type))

int main(void)
{
    SIZE(seccomp_notif);
    FIELD(seccomp_notif, id);
    FIELD(seccomp_notif, pid);
    FIELD(seccomp_notif, flags);
    FIELD(seccomp_notif, data.nr);
    FIELD(seccomp_notif, data.arch);
    FIELD(seccomp_notif, data.instruction_pointer);
    FIELD(seccomp_notif, data.args);
    SIZE(seccomp_notif_resp);
    SIZE(seccomp_notif_addfd);
    SIZE(seccomp_data);
    FIELD(seccomp_data, nr);
    FIELD(seccomp_data, arch);
    FIELD(seccomp_data, args);
    SIZE(sock_filter);
    FIELD(sock_filter, code);
    FIELD(sock_filter, jt);
    FIELD(sock_filter, jf);
    FIELD(sock_filter, k);
    SIZE(statx);
    FIELD(statx, stx_mask);
    FIELD(statx, stx_attributes);
    FIELD(statx, stx_nlink);
    FIELD(statx, stx_uid);
    FIELD(statx, stx_gid);
    FIELD(statx, stx_mode);
    FIELD(statx, stx_ino);
    FIELD(statx, stx_size);
    FIELD(statx, stx_rdev_major);
    FIELD(statx, stx_rdev_minor);
    FIELD(statx, stx_dev_major);
    FIELD(statx, stx_dev_minor);
    FIELD(statx, stx_mnt_id);
    SIZE(statfs);
    FIELD(statfs, f_type);
    SIZE(pollfd);
    FIELD(pollfd, revents);
    SIZE(rlimit64);
    SIZE(open_how);
    SIZE(hp_xattr_args);
    SIZE(hp_file_attr);
    SIZE(hp_landlock_ruleset_attr);
    FIELD(hp_landlock_ruleset_attr, handled_access_net);
    FIELD(hp_landlock_ruleset_attr, scoped);
    SIZE(landlock_path_beneath_attr);
    SIZE(signalfd_siginfo);
    SIZE(launch_block);
    FIELD(launch_block, magic);
    FIELD(launch_block, size);
    FIELD(launch_block, flags);
    FIELD(launch_block, umask);
    FIELD(launch_block, blocked);
    FIELD(launch_block, ignored);
    FIELD(launch_block, limits);
    FIELD(launch_block, filter_at);
    FIELD(launch_block, filter_count);
    FIELD(launch_block, filter_flags);
    FIELD(launch_block, program_at);
    FIELD(launch_block, arguments_at);
    FIELD(launch_block, argument_count);
    FIELD(launch_block, environment_at);
    FIELD(launch_block, environment_count);
    FIELD(launch_block, termios_at);
    FIELD(launch_block, reset_at);
    FIELD(launch_block, reset_length);
    FIELD(launch_block, passed_at);
    FIELD(launch_block, passed_count);
    SIZE(report);
    SIZE(command);
    printf("STAGE_FILTER %d\nSTAGE_EXEC %d\n", STAGE_FILTER, STAGE_EXEC);
    return 0;
}
