#!/usr/bin/env bash
# Assigns an address in a space of its own, reads it, releases it, and checks every invariant of the space.
# It needs PLAT_ENDPOINT, and credentials that may call Plat as an operator.
set -euo pipefail
export PLAT_SPACE=smoke
plat() { node dist/plat.js "$@"; }

handle="smoke-${GITHUB_RUN_ID:-manual}-${GITHUB_RUN_ATTEMPT:-1}"
plat pool get smoke > /dev/null 2>&1 || plat pool create smoke --cidr 192.0.2.0/24 --block-size 28
# A new pool serves from the `effectiveAt` of its answer on.
for try in $(seq 12); do
  plat assign --host smoke --ipv4 1 --handle "$handle" && break
  [ "$try" -lt 12 ] || exit 1
  sleep 10
done
plat handle get "$handle"
plat release --handle "$handle" --yes
plat check
