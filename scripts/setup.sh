#!/usr/bin/env bash
# Installs what the project needs and is missing; without root it says exactly what and how.
# Usage: scripts/setup.sh [--check]   (--check installs nothing)
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { # fail CODE WHAT WHY NEXT
  printf 'error[%s]: %s\n  why   %s\n  next  %s\n' "$@" >&2
  exit 3
}

check_only=false
[ "${1:-}" = "--check" ] && check_only=true

packages=()
need() { # need PACKAGE COMMAND: the package brings the command
  command -v "$2" >/dev/null 2>&1 || packages+=("$1")
}
need make make
need gcc gcc
need g++ g++
need git git
need python3 python3
need gcc-arm-none-eabi arm-none-eabi-gcc
need qemu-system-arm qemu-system-arm
[ -e /etc/ssl/certs/ca-certificates.crt ] || packages+=(ca-certificates)
[ -e /usr/include/stdlib.h ] || packages+=(libc6-dev)
[ -e /usr/lib/arm-none-eabi/include/stdint.h ] || packages+=(libnewlib-arm-none-eabi)
command -v llvm-config-14 >/dev/null 2>&1 || command -v llvm-config-19 >/dev/null 2>&1 ||
  packages+=("$(apt-cache show llvm-14-dev >/dev/null 2>&1 && echo llvm-14-dev || echo llvm-19-dev)")

# The newest cargo that Debian has is a package of its own; Ubuntu's cargo is recent.
if ! command -v cargo >/dev/null 2>&1; then
  if apt-cache show cargo-web >/dev/null 2>&1; then packages+=(rustc-web cargo-web); else packages+=(cargo); fi
fi

node_is_recent() { "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; }
local_node=build/node/node_modules/.bin
if command -v node >/dev/null 2>&1 && node_is_recent node; then node_from=system
elif [ -x "$local_node/node" ]; then node_from=local
else node_from=missing; fi
[ "$node_from" = system ] || need npm npm

if [ ${#packages[@]} -gt 0 ]; then
  line="apt-get install -y --no-install-recommends ${packages[*]}"
  if $check_only; then
    printf 'missing: %s\n  next  %s\n' "${packages[*]}" "$line" >&2
    exit 3
  fi
  if [ "$(id -u)" = 0 ]; then as_root=()
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root=(sudo)
  else
    fail E-SETUP-01 "these packages are missing: ${packages[*]}" \
      "installing them needs root, and sudo does not answer without a password" "sudo apt-get update && sudo $line"
  fi
  echo "installing ${packages[*]}"
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -qq && DEBIAN_FRONTEND=noninteractive "${as_root[@]}" ${line/install -y/install -y -qq}; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail E-SETUP-02 "the packages could not be installed" "see above" "apt-get update && $line"
  fi
  rm -f "$log"
fi
$check_only && exit 0

if [ "$node_from" = missing ]; then
  echo "installing node 20 into build/node"
  mkdir -p build/node
  npm install --prefix build/node --no-audit --no-fund --loglevel=error "node-linux-$(uname -m | sed 's/x86_64/x64/;s/aarch64/arm64/')@20" >&2 ||
    fail E-SETUP-03 "node 20 could not be installed" "npm did not get it; see above" "install node 20.19 or newer by hand, then run make again"
  mkdir -p "$local_node"
  ln -sf "$(ls "$PWD"/build/node/node_modules/node-linux-*/bin/node | head -n 1)" "$local_node/node"
fi
[ "$node_from" = system ] || PATH="$PWD/$local_node:$PATH"

# npm writes node_modules/.package-lock.json last, so it is older than the lock file exactly when work is left.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  echo "installing the npm packages of package-lock.json"
  npm ci --no-audit --no-fund --loglevel=error >&2 ||
    fail E-SETUP-04 "the npm packages could not be installed" "npm did not get them all; see above" "check the network and the npm registry, then run make again"
  touch node_modules/.package-lock.json
fi
