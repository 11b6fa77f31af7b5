#!/bin/sh
# What the suites need beside node, npm, gcc and make. As root on Debian it is installed; elsewhere it is named, with the
# command, and the tests that need it skip loudly (or fail where HALLPASS_MUST_WORK=1).
set -eu

# A line a package: its name, a path or program that shows it is there, and which tests need it.
packages() {
  cat <<'LIST'
procps            ps                                   tests/support: processes that are left over
util-linux        setpriv                              tests/support: the ordinary user
passwd            useradd                              tests/support: the ordinary user
git               git                                  cases 30 and 31, the fresh clone
python3           python3                              cases; tests/kernel
python3-venv      /usr/lib/python3*/ensurepip          case 44
musl-tools        musl-gcc                             helper: the static programs as they ship
libc6-dev         /usr/include/stdio.h                 every C program of the tests
clang             clang                                sanitizer builds of the C code; bpf
clang-format      clang-format                         npm run check
shellcheck        shellcheck                           npm run check
gcc-aarch64-linux-gnu  aarch64-linux-gnu-gcc           the arm64 layout probe and build
libc6-dev-arm64-cross  /usr/aarch64-linux-gnu/include/stdio.h  the arm64 layout probe and build
qemu-user         qemu-aarch64                         the arm64 layout probe
libc6-dev-i386    /usr/include/x86_64-linux-gnu/gnu/stubs-32.h  32-bit callers
lib32gcc-12-dev   /usr/lib/gcc/x86_64-linux-gnu/*/32/libgcc.a   32-bit callers
libbpf-dev        /usr/include/bpf/libbpf.h            strict mode
qemu-system-x86   qemu-system-x86_64                   tests/vm
busybox-static    /bin/busybox                         tests/vm
e2fsprogs         /sbin/mkfs.ext4                      tests/vm
tmux              tmux                                 case 43, tests/terminal
vim               vim                                  tests/terminal
less              less                                 tests/terminal
htop              htop                                 tests/terminal
strace            strace                               bench
bubblewrap        bwrap                                bench, nested sandboxes
sqlite3           sqlite3                              case 32
gnupg             gpg                                  case 42
openssh-client    ssh-agent                            case 42
ed                ed                                   case 50
runc              runc                                 a container without privileges
chromium          chromium                             tests/web
dbus              dbus-daemon                          tests of notifications
dunst             dunst                                tests of notifications
LIST
}

is_there() {
  case $1 in
  /*)
    # shellcheck disable=SC2086 # a pattern, to be expanded
    set -- $1
    [ -e "$1" ]
    ;;
  *) command -v "$1" >/dev/null ;;
  esac
}

missing=$(packages | while read -r package proof why; do
  case $(uname -m) in
  aarch64) case $package in gcc-aarch64-linux-gnu | libc6-dev-arm64-cross | qemu-user | libc6-dev-i386 | lib32gcc-12-dev | qemu-system-x86) continue ;; esac ;;
  esac
  is_there "$proof" || printf '%s\t%s\n' "$package" "$why"
done)
[ -n "$missing" ] || exit 0

names=$(printf '%s\n' "$missing" | cut -f1 | tr '\n' ' ')
command="apt-get install --no-install-recommends $names"
if [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; then
  printf 'hallpass: installing what the tests need: %s\n' "$names" >&2
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  # shellcheck disable=SC2086 # a list of names
  if { apt-get -q update && apt-get -q -y install --no-install-recommends $names; } >"$log" 2>&1 </dev/null; then
    rm -f "$log"
    exit 0
  fi
  tail -n 20 "$log" >&2
  printf 'hallpass: apt-get failed (the whole output: %s)\n' "$log" >&2
  exit 1
fi

printf '%s\n' "$missing" | while IFS='	' read -r package why; do
  printf 'hallpass: SKIPPED, %s is not installed: %s\n' "$package" "$why" >&2
done
printf 'hallpass: to run these too: sudo %s\n' "$command" >&2
