#!/bin/sh
# Build what is missing or older than its sources: the C shim, the launcher, the matcher's WASM.
set -eu
cd "$(dirname "$0")/.."
sh scripts/bootstrap.sh

for tool in make cc; do
  command -v "$tool" >/dev/null && continue
  printf 'hallpass: %s is not installed and building needs it (on Debian: apt-get install make gcc libc6-dev)\n' "$tool" >&2
  exit 125
done
PATH=$PWD/.tools/bin:$PWD/node_modules/.bin:$PATH
export PATH
exec make --no-print-directory -s "$@"
