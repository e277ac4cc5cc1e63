"""Answers written by hand from what each provider documents, and what each must be read as.

A file has the answers of one API: the entries that it stands for, where they ask about a job, and the cases. A case is
an answer at a door (`poll`, `refresh`, `webhook`) with the report that it is; `lost` marks one that names no output any
more. A webhook with outputs has the shape of the poll's case about the same job.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shared.providers import Registry
from shared.providers.reading import Reading

Sample = Mapping[str, Any]
FILES = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(__file__).parent.glob("*.json"))]
SAMPLES: list[tuple[str, Sample]] = [
    (name, case) for file in FILES for name in file["entries"] for case in file["cases"]
]
ASKED: list[Sample] = [asked for file in FILES for asked in file.get("asked", ())]
ENTRIES = {entry.name: entry for entry in Registry.load().all() if entry.name != "generic"}
DOORS = ("poll", "refresh", "webhook")


def door_of(name: str, door: str) -> Reading | None:
    """How an entry reads what comes through one of its doors; None where it has none."""
    found = getattr(ENTRIES[name], door)
    assert found is None or isinstance(found, Reading)
    return found


def reading_of(name: str, door: str) -> Reading:
    """The same for an entry that must have the door."""
    found = door_of(name, door)
    assert found is not None, f"{name} has no {door}"
    return found


def called(sample: tuple[str, Sample]) -> str:
    """A name for a test of one case."""
    return f"{sample[0]}-{sample[1]['door']}-{sample[1]['shape']}"
