"""Writes the contract's files: `python -m outlast.contract FOLDER`."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from outlast.contract.asyncapi import document
from outlast.contract.schemas import schemas

FOLDER = Path("docs/contract")


def files() -> Mapping[str, str]:
    """The text of every generated file by its path in the folder."""
    found = {"asyncapi.json": document(), **{f"schemas/{name}.json": schema for name, schema in schemas().items()}}
    return {path: json.dumps(value, ensure_ascii=False, indent=2) + "\n" for path, value in found.items()}


def write(folder: Path) -> None:
    """Write every file, and remove the schema of a message that is gone."""
    wanted = files()
    (folder / "schemas").mkdir(parents=True, exist_ok=True)
    for old in (folder / "schemas").glob("*.json"):
        if f"schemas/{old.name}" not in wanted:
            old.unlink()
    for path, text in wanted.items():
        (folder / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
