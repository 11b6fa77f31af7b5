#!/bin/sh
# `npm start`: install and build what is missing, then open the sandboxed shell where npm was called.
# `npm start -- -- CMD` runs CMD; flags of hallpass go before the second `--`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if ! { command -v make && command -v cc; } >/dev/null && [ -e "$root/build/.built" ]; then
  sh "$root/scripts/bootstrap.sh"
else
  sh "$root/scripts/build.sh"
fi

# What npm adds to the environment is npm's, not the user's: it would reach into every npm that runs inside.
cd "${INIT_CWD:-$root}"
for name in INIT_CWD NODE npm_command npm_execpath npm_node_execpath npm_config_cache npm_config_global_prefix \
  npm_config_globalconfig npm_config_init_module npm_config_local_prefix npm_config_loglevel npm_config_node_gyp npm_config_noproxy \
  npm_config_npm_version npm_config_prefix npm_config_user_agent npm_config_userconfig \
  $(env | sed -n 's/^\(npm_lifecycle_[A-Za-z0-9_]*\)=.*/\1/p; s/^\(npm_package_[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$name"
done
PATH=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v -e '/node_modules/\.bin$' -e '/node-gyp-bin$' | tr '\n' ':' | sed 's/:$//')
export PATH

exec "$root/bin/hallpass" "$@"
