#!/bin/sh
# `npm test [-- SUITE...]`: install, build, name what a suite misses, run every suite (scripts/test.ts has the list).
set -eu
cd "$(dirname "$0")/.."
sh scripts/build.sh
sh scripts/test-packages.sh
# Ahead of the tests, whose output it would be in; without the kernels those of tests/vm say themselves what is missing.
case " $* " in
*' --long '* | *' vm '*) ! command -v qemu-system-x86_64 >/dev/null || sh scripts/vm-kernels.sh || true ;;
esac
exec .tools/bin/bun scripts/test.ts "$@"
