#!/usr/bin/env bash
# Builds the phone and its clock shim into build/phone of the checkout. Usage: interop/phone/build.sh
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
out=$root/build/phone

fail() { # fail CODE MESSAGE WHY NEXT
  printf 'error[%s]: %s\n  why   %s\n  next  %s\n' "$@" >&2
  exit 3
}
command -v cargo >/dev/null 2>&1 ||
  fail E-PHONE-01 "the phone cannot be built" "cargo is not installed" "scripts/setup.sh installs it; rustup does too"
command -v cc >/dev/null 2>&1 ||
  fail E-PHONE-02 "the clock shim cannot be built" "no C compiler is installed" "apt-get install -y gcc libc6-dev"

mkdir -p "$out"
CARGO_TARGET_DIR=$root/build/cargo cargo build --release --locked
# Replaced in one step, so that a phone that runs right now keeps the file it started from.
cp "$root/build/cargo/release/offleaf-phone" "$out/offleaf-phone.new"
mv -f "$out/offleaf-phone.new" "$out/offleaf-phone"
cc -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -o "$out/clock-shim.so.new" clock-shim/clock-shim.c
mv -f "$out/clock-shim.so.new" "$out/clock-shim.so"
