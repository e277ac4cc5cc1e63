"""A person's own files: which of a folder are sent, and which are left out and why."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class LeftOut(StrEnum):
    """Why a file of a folder is not sent."""

    HIDDEN = "hidden"
    LEADS_OUT = "leading out of the folder by a symbolic link"
    NOT_REGULAR = "no regular file"
    UNREADABLE = "not readable"


@dataclass(frozen=True)
class Listing:
    """The files of a folder by their names in it, and how many others were left out, by why."""

    names: Sequence[Path]
    left_out: Mapping[LeftOut, int]

    def spoken(self) -> str:
        """One sentence for a person."""
        others = ", ".join(f"{times} {why}" for why, times in sorted(self.left_out.items()))
        return f"Files to send: {len(self.names)}. Left out: {others or 'none'}."


def listing(folder: Path) -> Listing:
    """Look through a folder and its subfolders, in the order of names; no link is followed out of it."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    faults = {path.relative_to(folder): _fault(folder, path) for path in paths}
    names = [name for name, fault in faults.items() if fault is None]
    return Listing(names, Counter(fault for fault in faults.values() if fault is not None))


def _fault(folder: Path, path: Path) -> LeftOut | None:
    if any(part.startswith(".") for part in path.relative_to(folder).parts):
        return LeftOut.HIDDEN
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        return LeftOut.LEADS_OUT
    if not path.is_file():
        return LeftOut.NOT_REGULAR
    return None if os.access(path, os.R_OK) else LeftOut.UNREADABLE
