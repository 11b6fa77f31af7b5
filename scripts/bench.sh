#!/bin/sh
# `npm run bench [-- NAME...]`: build, then measure side by side (bench/main.ts): a table on stdout, JSON in build/bench.json.
set -eu
cd "$(dirname "$0")/.."
sh scripts/build.sh
exec .tools/bin/bun bench/main.ts "$@"
