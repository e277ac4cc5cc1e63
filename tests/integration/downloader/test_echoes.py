"""Sources that tell the link back: whole, in part, cut, and in other cases; the evidence tells nothing of it."""

import html
from collections.abc import Callable
from urllib.parse import quote, unquote

import pytest

from tests.faults.answers import answer, closing, head, raw
from tests.faults.canary import CANARY, LINK, PATH, QUERY
from tests.integration.downloader.acts import Act

PARTS = (f"http://127.0.0.1{LINK}", LINK, PATH, QUERY, f"{CANARY}path", f"{CANARY}query%2B", f"{CANARY}query+")


@pytest.mark.parametrize("coding", [str, str.upper, str.lower, quote, unquote, html.escape])
@pytest.mark.parametrize("part", PARTS)
def test_an_echo_in_a_body_or_a_field_is_not_kept(part: str, coding: Callable[[str], str]) -> None:
    told = coding(part)
    failure = Act(answer(f"no {told} here".encode(), f"Server: x {told}", "Date: now", status=403)).failed()
    assert "no " in str(failure.evidence["body"])


@pytest.mark.parametrize("kept", range(len(CANARY), len(PATH)))
def test_an_echo_that_the_source_cut_is_not_kept(kept: int) -> None:
    Act(answer(f"no {PATH[1:kept]}... here".encode(), status=403)).failed()
    Act(closing(f"<html>no {PATH[1:kept]}".encode())).failed()


@pytest.mark.parametrize("front", range(470, 515, 3))
def test_an_echo_that_is_cut_by_the_end_of_what_is_kept_is_not_kept(front: int) -> None:
    body = b"<html>" + b"a " * (front // 2) + f"{CANARY}query%2B and more".encode()
    Act(raw(head(200, f"Content-Length: {len(body)}"), body)).failed()
