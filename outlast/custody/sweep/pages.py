"""Anything in pages."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def pages(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """The things in lists of `size`; the last one may be shorter, and none is empty."""
    rest = iter(things)
    while page := list(islice(rest, size)):
        yield page
