#!/bin/sh
# Fetch the kernels that tests/vm boots into build/vm: `6.1` (Debian 12) and `newer` (its backports). They are unpacked, not
# installed. Both are asked from the mirror that apt uses here, with lists of their own: the system's sources stay as they are.
set -eu
cd "$(dirname "$0")/.."
into=$PWD/build/vm

say() { printf 'hallpass: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# Modules in the order they are loaded; those that a kernel has built in, or no longer has, are left out.
MODULES='crc32c_generic crc16 virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_console
virtio_blk virtio-rng netfs fscache 9pnet 9pnet_virtio 9p overlay mbcache jbd2 ext4 fuse'

# shellcheck disable=SC2016 # the variables are apt's
mirror_of() { apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Identifier: Packages' | sed -n "s/^$1 //p" | head -n 1; }

# A private apt: its own lists and sources, the system's keys.
private_apt() {
  root=$1
  shift
  "$@" -q -o Dir::Etc::SourceList="$root/sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$root/lists" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root -o APT::Architecture=amd64
}

# Leaves the one .deb of the image that linux-image-amd64 of this suite stands for in $3.
download() {
  suite=$1 mirror=$2 folder=$3
  mkdir -p "$folder/lists/partial"
  printf 'deb %s %s main\n' "$mirror" "$suite" >"$folder/sources"
  (
    cd "$folder"
    private_apt "$folder" apt-get update
    image=$(private_apt "$folder" apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: *//p' | head -n 1)
    [ -n "$image" ] || exit 1
    private_apt "$folder" apt-get download "$image"
  ) >"$folder/log" 2>&1 </dev/null
}

unpack_module() {
  case $1 in
  *.xz) xz -dc "$1" >"$2" ;;
  *.zst) zstd -qdc "$1" >"$2" ;;
  *) cp "$1" "$2" ;;
  esac
}

unpack() {
  deb=$1 target=$2
  mkdir -p "$target.new/modules" "$target.new/tree"
  dpkg-deb -x "$deb" "$target.new/tree"
  mv "$target.new"/tree/boot/vmlinuz-* "$target.new/vmlinuz"
  mv "$target.new"/tree/boot/config-* "$target.new/config"
  # From 13 on, and in late backports, modules lie below /usr.
  number=10
  for module in $MODULES; do
    found=$(find "$target.new/tree" -name "$module.ko*" | head -n 1)
    [ -n "$found" ] || continue
    unpack_module "$found" "$target.new/modules/$number-$module.ko"
    number=$((number + 1))
  done
  rm -rf "$target.new/tree" "$target"
  mv "$target.new" "$target"
}

fetch() {
  name=$1 suite=$2
  [ -e "$into/$name/vmlinuz" ] && return
  mirror=$(mirror_of bookworm)
  [ -n "$mirror" ] || die "the $name guest needs the packages of Debian 12 (bookworm); apt has no such source here"
  work=$(mktemp -d)
  say "fetching the $name kernel for tests/vm"
  if download "$suite" "$mirror" "$work"; then
    mkdir -p "$into"
    unpack "$(find "$work" -name 'linux-image-*.deb')" "$into/$name"
    rm -rf "$work"
  else
    tail -n 5 "$work/log" >&2
    die "the $name kernel could not be fetched (the whole output: $work/log)"
  fi
}

for tool in apt-get dpkg-deb xz; do
  command -v "$tool" >/dev/null || die "tests/vm takes Debian's kernels, and $tool is not installed"
done
[ $# -gt 0 ] || set -- 6.1 newer
for name in "$@"; do
  case $name in
  6.1) fetch 6.1 bookworm ;;
  newer) fetch newer bookworm-backports ;;
  *) die "there are the kernels 6.1 and newer, not $name" ;;
  esac
done
