"""`python -m deploy.local up|down`: the stack alone, for tests and scripts, without the `outlast` command."""

import argparse
import sys
from pathlib import Path

from deploy.local.running import run, stop
from shared.errors import UsageError


def main() -> None:
    """Read the arguments, which are those of `outlast up` and `outlast down`, and do it."""
    parser = argparse.ArgumentParser(prog="python -m deploy.local", description=__doc__)
    parser.add_argument("command", choices=("up", "down"))
    parser.add_argument("--dir", type=Path, default=Path(".local/stack"))
    for flag in ("--servers-only", "--detach", "--json", "--fast"):
        parser.add_argument(flag, action="store_true")
    given = parser.parse_args()
    try:
        if given.command == "down":
            stop(given.dir)
        else:
            run(
                given.dir,
                servers_only=given.servers_only,
                detach=given.detach,
                as_json=given.json,
                fast=given.fast,
            )
    except UsageError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
