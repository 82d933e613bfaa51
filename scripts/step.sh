#!/usr/bin/env bash
# Runs one step of the build: step.sh NAME "NEXT THING TO TRY" COMMAND [ARG ...]
# Quiet on success (its time only); on failure prints the step, the end of its output and what to do, and exits with its code.
set -u
name=$1 next=$2
shift 2
[ -d build/node/node_modules/.bin ] && PATH="$PWD/build/node/node_modules/.bin:$PATH"
mkdir -p build/log
log=build/log/$(echo "$name" | tr ' /' '--').log
start=$(date +%s)
if [ "${VERBOSE:-0}" = 1 ]; then "$@" 2>&1 | tee "$log"; code=${PIPESTATUS[0]}; else "$@" >"$log" 2>&1; code=$?; fi
seconds=$(($(date +%s) - start))
if [ "$code" -ne 0 ]; then
  tail -n 30 "$log" >&2
  printf '\nerror[E-MAKE-01]: the step "%s" failed after %s s (exit %s)\n  why   above; whole output in %s\n  next  %s\n' "$name" "$seconds" "$code" "$log" "$next" >&2
  exit "$code"
fi
[ "$seconds" -lt 2 ] || printf '%-28s %4s s\n' "$name" "$seconds"
