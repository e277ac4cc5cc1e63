#!/usr/bin/env bash
# Installs what the local stack and the tests need on Debian or Ubuntu; does nothing when all is there.
#   deploy/local/bootstrap.sh
# Needs Python 3.11 or newer, and root or sudo when packages are missing. Starts and enables no server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

RABBITMQ=/usr/lib/rabbitmq/bin/rabbitmq-server
UNITS=(rabbitmq-server.service epmd.service epmd.socket postgresql.service)
# Those of the malware scanner, which only the tests need.
UNITS+=(clamav-daemon.service clamav-daemon.socket clamav-freshclam.service)
# Those of the object store for benchmarks.
UNITS+=(radosgw.service ceph-crash.service ceph.target ceph-mon.target ceph-osd.target ceph-radosgw.target)
STAMP=.venv/.bootstrapped

say() { echo "bootstrap: $*"; }
fail() { echo "bootstrap: $*" >&2; exit 1; }

# The first Python that is new enough, if there is one.
find_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
}

# Its scripts hold the place where it was made: a checkout that was moved needs another one.
venv_works() {
  .venv/bin/python -c '' 2>/dev/null && grep -qF "$PWD/.venv" .venv/bin/activate
}

missing_packages() {
  local python
  [ -x "$RABBITMQ" ] || echo rabbitmq-server
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || echo postgresql
  # The probe's filter of system calls.
  /sbin/ldconfig -p | grep -F libseccomp.so.2 >/dev/null || echo libseccomp2
  if venv_works; then return; fi
  python=$(find_python)
  if [ -z "$python" ]; then
    command -v python3 >/dev/null || echo python3-venv
  elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian's own Pythons lack it until this package is there.
    [ "$python" = /usr/bin/python3 ] && echo python3-venv || echo "$(basename "$python")-venv"
  fi
}

installed_units() {
  local unit
  for unit in "${UNITS[@]}"; do
    if [ -e "/lib/systemd/system/$unit" ] || [ -e "/etc/init.d/${unit%.service}" ]; then echo "$unit"; fi
  done
}

disable() {
  local script=${1%.service}
  if command -v systemctl >/dev/null; then
    systemctl disable --quiet "$1"
  elif [ -e "/etc/init.d/$script" ]; then
    update-rc.d "$script" disable
  fi
}

# As root: install packages so that no server starts, now or at the next boot, and no database cluster is made.
install_packages() {
  local policy=/usr/sbin/policy-rc.d cluster=/etc/postgresql-common/createcluster.d/outlast.conf before unit
  before=$(installed_units)
  undo=()
  trap 'rm -f "${undo[@]}"' EXIT
  if [ ! -e "$policy" ]; then
    undo+=("$policy")
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  undo+=("$cluster")
  mkdir -p "$(dirname "$cluster")"
  echo 'create_main_cluster = false' >"$cluster"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  for unit in $(installed_units); do
    grep -qx "$unit" <<<"$before" || disable "$unit"
  done
}

ensure_packages() {
  local packages root=()
  mapfile -t packages < <(missing_packages)
  [ ${#packages[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "there is no apt-get here; install yourself: ${packages[*]}"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "run as root or install sudo; missing packages: ${packages[*]}"
    root=(sudo)
  fi
  say "installing ${packages[*]}"
  "${root[@]}" bash "$PWD/deploy/local/bootstrap.sh" --packages "${packages[@]}"
  mapfile -t packages < <(missing_packages)
  [ ${#packages[@]} -eq 0 ] || fail "still missing after the installation: ${packages[*]}"
}

ensure_venv() {
  local python
  if venv_works; then return; fi
  python=$(find_python)
  [ -n "$python" ] || fail "Python 3.11 or newer is needed; $(python3 --version 2>&1 || echo 'there is no python3')"
  say "making .venv with $("$python" --version)"
  rm -rf .venv
  "$python" -m venv .venv
}

# What the environment must match: the lock, the project and the interpreter.
fingerprint() {
  { cat requirements/dev.txt pyproject.toml; .venv/bin/python -VV; } | sha256sum
}

ensure_requirements() {
  local pip=(.venv/bin/python -m pip --disable-pip-version-check install --quiet --quiet)
  if [ "$(fingerprint)" = "$(cat "$STAMP" 2>/dev/null)" ]; then return; fi
  say "installing the locked Python packages"
  "${pip[@]}" --require-hashes -r requirements/dev.txt
  "${pip[@]}" --no-deps --no-build-isolation -e .
  fingerprint >"$STAMP"
}

if [ "${1:-}" = --packages ]; then
  install_packages "${@:2}"
  exit
fi
ensure_packages
ensure_venv
ensure_requirements
say "ready"
