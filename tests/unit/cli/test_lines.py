"""Lines of a stream keep their numbers, and none is kept that is longer than an event may be."""

import io

from outlast.cli.lines import numbered
from shared.messages import MAX_INTAKE_BYTES


def lines(text: bytes) -> list[tuple[int, bytes]]:
    return list(numbered(io.BytesIO(text)))


def test_lines_are_counted_from_one_and_blank_ones_too() -> None:
    assert lines(b"a\n\n  \r\nb\r\nc") == [(1, b"a"), (4, b"b"), (5, b"c")]
    assert lines(b"") == []


def test_the_rest_of_a_line_that_is_too_long_is_no_line_of_its_own() -> None:
    long = b"x" * (3 * MAX_INTAKE_BYTES)
    (first, *_), second = lines(long + b"\nafter")
    assert first == 1
    assert second == (2, b"after")
    assert MAX_INTAKE_BYTES < len(lines(long)[0][1]) < MAX_INTAKE_BYTES + 10


def test_the_longest_line_that_is_allowed_is_whole() -> None:
    longest = b"x" * MAX_INTAKE_BYTES
    assert lines(longest + b"\nb") == [(1, longest), (2, b"b")]
    assert lines(longest + b"\r\nb") == [(1, longest), (2, b"b")]
