#!/bin/busybox sh
# shellcheck shell=dash
# First program of the guest, in its initramfs: loads the modules, puts a tmpfs over the machine's root (9p, read-only), mounts
# what a machine has, and goes there. All by busybox in memory: a program started from the machine's root is slower by far.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
for module in /modules/*.ko; do
  insmod "$module" || echo "insmod $module failed"
done
stage=$(sed -n 's/.*hallpass\.stage=\([^ ]*\).*/\1/p' /proc/cmdline)

mkdir -p /lower /layer /root
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose root /lower || poweroff -f
mount -t tmpfs -o size=75%,mode=755 layer /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/lower,upperdir=/layer/upper,workdir=/layer/work root /root || poweroff -f

tree=${stage%/build/vm/*}
# A clone in a folder for temporary files must still be there when the guest's own is mounted over it.
case $tree in
/tmp/* | /var/tmp/*) mkdir -p /tree && mount -o bind "/root$tree" /tree ;;
esac

mount -t proc proc /root/proc
mount -t sysfs sys /root/sys
mount -t devtmpfs dev /root/dev
mkdir -p /root/dev/pts /root/dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /root/dev/pts
mount -t tmpfs -o mode=1777 shm /root/dev/shm
mount -t tmpfs -o mode=755 run /root/run
mount -t tmpfs -o mode=1777 tmp /root/tmp
mount -t ext4 /dev/vda /root/var/tmp
chmod 1777 /root/var/tmp
[ ! -d /tree ] || { mkdir -p "/root$tree" && mount -o bind /tree "/root$tree"; }
mount -t cgroup2 cgroup2 /root/sys/fs/cgroup
mount -t securityfs securityfs /root/sys/kernel/security
mount -t tracefs tracefs /root/sys/kernel/tracing
mount -t bpf -o mode=700 bpf /root/sys/fs/bpf
ln -sfn /proc/self/fd /root/dev/fd
ln -sfn /proc/self/fd/0 /root/dev/stdin
ln -sfn /proc/self/fd/1 /root/dev/stdout
ln -sfn /proc/self/fd/2 /root/dev/stderr
ifconfig lo 127.0.0.1 up
hostname guest

umount /dev
umount /proc
exec switch_root /root /bin/sh "$stage/guest.sh" "$stage"
