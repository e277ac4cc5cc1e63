#!/usr/bin/env bash
# Installs what only the examples of docs/examples need: curl, Node 18 or newer with npm, and amqplib as it is locked.
#   deploy/local/bootstrap-examples.sh
# Needs root or sudo when Debian's packages are missing; does nothing when all is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

NODE=docs/examples/node

missing=()
command -v curl >/dev/null || missing+=(curl)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  echo "bootstrap: installing ${missing[*]} for the examples"
  "${root[@]}" bash deploy/local/bootstrap.sh --packages "${missing[@]}"
fi

if [ ! "$NODE/node_modules/.package-lock.json" -nt "$NODE/package-lock.json" ]; then
  echo "bootstrap: installing the locked packages of $NODE"
  npm ci --prefix "$NODE" --silent --no-audit --no-fund
fi
