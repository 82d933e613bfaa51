#!/bin/sh
# Prints the folder of WAMR's pinned source. Cargo fetches it on first use and checks it against the lock file.
set -eu
manifest=$(dirname "$0")/Cargo.toml
cargo fetch --quiet --locked --manifest-path "$manifest" >&2
cargo metadata --format-version 1 --locked --offline --manifest-path "$manifest" |
  sed 's/.*"manifest_path":"\([^"]*wamrx-sys-[^"]*\)\/Cargo.toml".*/\1\/wasm-micro-runtime/'
