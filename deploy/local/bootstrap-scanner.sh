#!/usr/bin/env bash
# Installs what only the tests of the malware scan need: Debian's clamav-daemon, neither started nor kept up to date.
#   deploy/local/bootstrap-scanner.sh
# Needs root or sudo when the package is missing; does nothing when it is there. The tests bring their own signatures.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ ! -x /usr/sbin/clamd ] || exit 0
root=()
[ "$(id -u)" = 0 ] || root=(sudo)
echo "bootstrap: installing clamav-daemon for the tests"
"${root[@]}" bash deploy/local/bootstrap.sh --packages clamav-daemon
