#!/bin/sh
# `npm run check`: format, lint (with the import fences of STYLE §2), types, C format, shell scripts. Runs all, then says what failed.
set -eu
cd "$(dirname "$0")/.."
sh scripts/bootstrap.sh
PATH=$PWD/.tools/bin:$PWD/node_modules/.bin:$PATH
export PATH
failed=

check() {
  name=$1
  shift
  printf '%s\n' "- $name" >&2
  "$@" || failed="$failed $name"
}

# A tool that the machine lacks is said; in CI it is a failure.
check_with() {
  if command -v "$2" >/dev/null; then
    check "$@"
  elif [ "${HALLPASS_MUST_WORK:-}" = 1 ]; then
    printf 'hallpass: %s is not installed\n' "$2" >&2
    failed="$failed $1"
  else
    printf 'hallpass: SKIPPED %s: %s is not installed (scripts/test-packages.sh has it)\n' "$1" "$2" >&2
  fi
}

tracked() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done; }

check format oxfmt --check .
check lint oxlint --type-aware --deny-warnings
check types tsc --noEmit -p .
c_files=$(tracked '*.c' '*.h')
# shellcheck disable=SC2086 # lists of names without spaces
[ -z "$c_files" ] || check_with c-format clang-format --dry-run -Werror $c_files
# shellcheck disable=SC2046
check_with shell shellcheck $(tracked 'scripts/*.sh' '.ci/run')

if [ -n "$failed" ]; then
  printf 'hallpass: check failed:%s\n' "$failed" >&2
  exit 1
fi
