#!/bin/sh
# `npm test [-- SUITE...]`: install, build, name what a suite misses, run every suite (scripts/test.ts has the list).
set -eu
cd "$(dirname "$0")/.."
sh scripts/build.sh
sh scripts/test-packages.sh
exec .tools/bin/bun scripts/test.ts "$@"
