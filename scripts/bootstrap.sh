#!/bin/sh
# Make the tree ready to build: the bun that package.json pins, then the packages that bun.lock names.
# Nothing to do takes a few milliseconds. `.tools/bin/bun` is that bun afterwards.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'hallpass: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 125
}

pinned=$(sed -n 's/^ *"bun": "\([0-9.]*\)",*$/\1/p' package.json)
[ -n "$pinned" ] || die 'package.json pins no bun'

# A fresh machine has glibc or musl; bun ships one program for each.
platform() {
  case $(uname -m) in
  x86_64) cpu=x64 ;;
  aarch64) cpu=aarch64 ;;
  *) die "there is no bun for $(uname -m); amd64 and arm64 are supported" ;;
  esac
  if [ -e "/lib/ld-musl-$(uname -m).so.1" ] && ! ldd --version 2>&1 | grep -qi 'glibc\|gnu libc'; then
    printf 'bun-linux-%s-musl' "$cpu"
  else
    printf 'bun-linux-%s' "$cpu"
  fi
}

# The program lies in the platform's package until bun's install script moves it to its own; npm 11 does not run that script.
bun_below() {
  for program in "$1/@oven/$platform/bin/bun" "$1/bun/bin/bun.exe"; do
    [ -x "$program" ] || continue
    version=$(sed -n 's/^ *"version": "\([^"]*\)".*/\1/p' "${program%/bin/*}/package.json")
    [ "$version" = "$pinned" ] || continue
    printf '%s' "$program"
    return
  done
}

point_at() {
  mkdir -p .tools/bin
  ln -sfn "../../$1" .tools/bin/bun
}

stamp=node_modules/.installed.lock
if [ -x .tools/bin/bun ] && cmp -s bun.lock "$stamp"; then
  exit 0
fi

platform=$(platform)
bun=$(bun_below node_modules)
own=.tools/bun-$pinned
[ -n "$bun" ] || bun=$(bun_below "$own/node_modules")
if [ -z "$bun" ]; then
  command -v npm >/dev/null || die 'npm is not installed: install Node.js with npm, then try again'
  say "installing bun $pinned"
  mkdir -p "$own"
  printf '{ "private": true }\n' >"$own/package.json"
  npm install --prefix "$own" --no-save --no-audit --no-fund --loglevel=error "@oven/$platform@$pinned" >&2 ||
    die "npm could not install @oven/$platform@$pinned (the lines above say why)"
  bun=$(bun_below "$own/node_modules")
  [ -n "$bun" ] || die "npm installed @oven/$platform@$pinned without the program bin/bun"
fi
"./$bun" --version >/dev/null 2>&1 || die "$bun does not start on this machine (try: ldd $bun)"
point_at "$bun"

# Copies, not hard links into bun's cache: who may write the cache must not thereby write hallpass's own program.
say 'installing the packages of bun.lock'
"./$bun" install --frozen-lockfile --no-progress --backend=copyfile >&2 || die 'bun install failed (the lines above say why)'
bun=$(bun_below node_modules)
[ -n "$bun" ] || die "bun install did not bring bun $pinned"
point_at "$bun"
rm -rf "$own"
cp bun.lock "$stamp"
