#!/bin/sh
# Runs as the guest's init once its root is there: runs the command, says how it ended, powers off.
# $1 is the folder of this run, seen through the root: `settings` and `command` are read; nothing can be written there.
run=$1
user='' ptrace_scope='' directory=/
# shellcheck source=/dev/null
. "$run/settings"
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=xterm-256color
[ -z "$ptrace_scope" ] || echo "$ptrace_scope" >/proc/sys/kernel/yama/ptrace_scope

# The device of the virtio port with this name.
port() {
  for file in /sys/class/virtio-ports/*/name; do
    read -r name <"$file"
    [ "$name" = "$1" ] || continue
    folder=${file%/name}
    echo "/dev/${folder##*/}"
  done
}

become() {
  [ -n "$user" ] || exec "$@"
  id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$user"
  home=$(getent passwd "$user" | cut -d: -f6)
  exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups \
    env HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash "$@"
}

# PID 1 reaps whatever the command leaves behind; `wait` for one pid gives that one's status.
(
  cd "$directory" || exit 125
  become sh "$run/command"
) </dev/null >"$(port stdout)" 2>"$(port stderr)" &
wait $!
echo $? >"$(port status)"
exec /bin/busybox poweroff -f
