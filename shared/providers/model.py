"""What is different for single models of a provider."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from shared.providers.entry import Provider

Overrides = Sequence[tuple[str, Provider]]
"""Patterns of models (`*` and `?`), the first that fits counts, each with the whole entry for them."""


def entry_for(entry: Provider, overrides: Overrides, model: str | None) -> Provider:
    """The entry for one model; that of the provider for an unknown one."""
    named = (found for pattern, found in overrides if model is not None and fnmatchcase(model, pattern))
    return next(named, entry)
