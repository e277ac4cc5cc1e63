"""The SQL statements, read from their files once."""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> bytes:
    """The text of `shared/sql/{acts,reads}/NAME.sql`. Raises FileNotFoundError for an unknown name."""
    root = files("shared.sql")
    for folder in ("acts", "reads"):
        path = root / folder / f"{name}.sql"
        if path.is_file():
            return path.read_bytes()
    raise FileNotFoundError(f"there is no SQL statement {name!r}")
