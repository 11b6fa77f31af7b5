#!/bin/sh
# Boot a Debian kernel on this machine's own files and run a command in it; nothing it writes reaches this machine.
#   tests/vm/run.sh [flags] [--] CMD ARG...
#     --kernel 6.1|newer    which kernel (scripts/vm-kernels.sh fetches both)       default 6.1
#     --user NAME           run CMD as this user, made where it does not exist      default root
#     --ptrace-scope N      Yama's setting                                          default the kernel's
#     --lsm LIST            the LSMs in order                                       default landlock,lockdown,yama,apparmor,bpf
#     --directory DIR       where CMD starts                                        default here
#     --env NAME=VALUE      repeatable
#     --cpus N, --memory MiB, --timeout SECONDS                                     default 2, 2048, 300
# stdout and stderr are CMD's, byte for byte, the exit code too; 124 at the time limit, 125 where the guest failed.
# bun is on the PATH: a suite runs as `tests/vm/run.sh --user ann --ptrace-scope 1 -- bun test --timeout 120000 ./tests/kernel/x.test.ts`.
# The root is the machine's, read-only, below a tmpfs; /tmp is a tmpfs, /var/tmp an ext4 of its own.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)

die() {
  printf 'tests/vm/run.sh: %s\n' "$*" >&2
  exit 125
}
quoted() {
  for word in "$@"; do printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"; done
  echo
}

kernel=6.1 user='' ptrace_scope='' lsm=landlock,lockdown,yama,apparmor,bpf directory=$PWD cpus=2 memory=2048 limit=300 env=''
while [ $# -gt 0 ]; do
  case $1 in
  --) shift && break ;;
  --kernel | --user | --ptrace-scope | --lsm | --directory | --env | --cpus | --memory | --timeout) [ $# -gt 1 ] || die "no value after $1" ;;
  -*) die "unknown flag $1" ;;
  *) break ;;
  esac
  case $1 in
  --kernel) kernel=$2 ;;
  --user) user=$2 ;;
  --ptrace-scope) ptrace_scope=$2 ;;
  --lsm) lsm=$2 ;;
  --directory) directory=$2 ;;
  --env) env="$env $(quoted "$2")" ;;
  --cpus) cpus=$2 ;;
  --memory) memory=$2 ;;
  --timeout) limit=$2 ;;
  esac
  shift 2
done
[ $# -gt 0 ] || die 'no command'
for tool in qemu-system-x86_64 busybox mkfs.ext4; do
  command -v "$tool" >/dev/null || die "$tool is not installed (scripts/test-packages.sh has it)"
done
[ -e "$tree/build/vm/$kernel/vmlinuz" ] || sh "$tree/scripts/vm-kernels.sh" "$kernel" || exit 125

# A run has a folder of its own; what all runs share is made once and moved into place.
run=$(mktemp -d "$tree/build/vm/run.XXXXXX")
trap 'rm -rf "$run"' EXIT
trap 'exit 130' INT TERM HUP
chmod 755 "$run"

initramfs=$tree/build/vm/$kernel/initramfs
if [ -z "$(find "$initramfs" -newer "$tree/tests/vm/first-init.sh" 2>/dev/null)" ]; then
  mkdir -p "$run/root/bin" "$run/root/proc" "$run/root/dev"
  cp "$(command -v busybox)" "$run/root/bin/busybox"
  cp -r "$tree/build/vm/$kernel/modules" "$run/root/modules"
  cp "$tree/tests/vm/first-init.sh" "$run/root/init"
  chmod 755 "$run/root/init"
  (cd "$run/root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$run/initramfs"
  rm -rf "$run/root"
  mv "$run/initramfs" "$initramfs"
fi
disk=$tree/build/vm/disk.ext4
if [ ! -e "$disk" ]; then
  truncate -s 4G "$run/disk"
  mkfs.ext4 -q -m 0 -E lazy_itable_init=1,lazy_journal_init=1 "$run/disk"
  mv "$run/disk" "$disk"
fi

cp "$tree/tests/vm/guest.sh" "$run/guest.sh"
printf "user='%s'\nptrace_scope='%s'\ndirectory='%s'\n" "$user" "$ptrace_scope" "$directory" >"$run/settings"
# shellcheck disable=SC2016 # the guest's PATH
printf 'exec env PATH=%s:"$PATH" %s %s\n' "$(quoted "$tree/node_modules/.bin" | sed 's/ $//')" "$env" "$(quoted "$@")" >"$run/command"

# Software emulation, so that it runs, and runs alike, wherever CI does.
set -- -accel tcg,thread=multi -cpu max -smp "$cpus" -m "$memory" -nodefaults -no-user-config -no-reboot -display none -serial "file:$run/console" \
  -kernel "$tree/build/vm/$kernel/vmlinuz" -initrd "$initramfs" \
  -append "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on lsm=$lsm hallpass.stage=$run" \
  -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=root,mount_tag=root \
  -drive "file=$disk,format=raw,if=none,id=disk,snapshot=on" -device virtio-blk-pci,drive=disk \
  -device virtio-rng-pci -device virtio-serial-pci \
  -chardev "file,id=stdout,path=$run/stdout" -device virtserialport,chardev=stdout,name=stdout \
  -chardev "file,id=stderr,path=$run/stderr" -device virtserialport,chardev=stderr,name=stderr \
  -chardev "file,id=status,path=$run/status" -device virtserialport,chardev=status,name=status

# Pipes, so that nothing depends on what kind of file this script's own output is. Held open here, they end when it says so.
mkfifo "$run/stdout" "$run/stderr"
exec 8<>"$run/stdout" 9<>"$run/stderr"
cat <"$run/stdout" 8>&- 9>&- &
stdout=$!
cat <"$run/stderr" >&2 8>&- 9>&- &
stderr=$!

# In the background, so that a signal to this script ends the guest at once.
timeout -k 5 "$limit" qemu-system-x86_64 "$@" 8>&- 9>&- &
guest=$!
trap 'kill "$guest" "$stdout" "$stderr" 2>/dev/null; exit 130' INT TERM HUP
code=0
wait "$guest" || code=$?
exec 8>&- 9>&-
wait "$stdout" "$stderr" || true
[ "$code" != 124 ] || { echo "tests/vm/run.sh: the guest was ended after $limit s" >&2 && exit 124; }
status=$(cat "$run/status" 2>/dev/null) || true
if [ -z "$status" ]; then
  tail -n 25 "$run/console" >&2 || true
  die 'the guest ended without running the command to its end (above: the end of its console)'
fi
exit "$status"
