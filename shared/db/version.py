"""The schema version of this release, told without loading the tools that migrate."""

from importlib.resources import files


def newest_version() -> str:
    """The number of the newest migration, as the database tells it once that has run."""
    names = [path.name for path in (files("shared.sql") / "migrations").iterdir() if path.name.endswith(".sql")]
    return max(names).partition("_")[0]
