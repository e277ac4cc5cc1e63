"""Commands in words that a person can type as they are printed."""

import shlex
import sys
from pathlib import Path


def outlast(*words: str | Path) -> str:
    """An `outlast` command of the installation that runs now; its paths are told from the current folder."""
    program = Path(sys.executable).with_name("outlast")
    return shlex.join(_told(word) for word in (program, *words))


def _told(word: str | Path) -> str:
    here = Path.cwd()
    if isinstance(word, Path) and word.is_relative_to(here):
        return str(word.relative_to(here))
    return str(word)
