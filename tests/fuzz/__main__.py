"""The whole fuzz run: `python -m tests.fuzz`, which `make fuzz` calls."""

import argparse
import sys
from random import SystemRandom

from tests.fuzz.cases import KINDS
from tests.fuzz.report import run_all, run_one


def main() -> int:
    """Run the cases that the arguments name; 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--number", type=int, default=50_000, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=None, help="a seed that was printed; the same cases again")
    parser.add_argument("--case", metavar="KIND/NUMBER", help=f"one case alone; KIND is {', '.join(KINDS)}")
    told = parser.parse_args()
    seed = SystemRandom().randrange(2**31) if told.seed is None else told.seed
    if told.case:
        kind, _, number = told.case.partition("/")
        return run_one(kind, seed, int(number))
    return run_all(seed, told.number)


if __name__ == "__main__":
    sys.exit(main())
