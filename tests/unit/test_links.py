"""What is kept of a link: its host and a digest of its path, and nothing else, however broken the link is."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.links import place_of
from tests.faults.canary import CANARY, tells


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Media.Example.test:8443/a?b", "media.example.test"),
        ("https://[2606:4700::1]/a", "2606:4700::1"),
        (f"https://user:{CANARY}@h.test/{CANARY}?{CANARY}#{CANARY}", "h.test"),
        (f"https://h.test:{CANARY}/", "h.test"),
        (f"https://h.test&sig={CANARY}", ""),
        (f"https://h.test\\{CANARY}", ""),
        (f"https://h.test;{CANARY}/", ""),
        (f"https://h.test %20{CANARY}/", ""),
        (f"https://[::1%25{CANARY}]/", ""),
        (f"https://[{CANARY}/", ""),
        (f"https:{CANARY}", ""),
        (f"https://{'h' * 254}/", ""),
        ("https://münchen.test/", ""),
        ("", ""),
    ],
)
def test_the_host_is_kept_and_what_cannot_be_one_is_not(url: str, host: str) -> None:
    assert place_of(url).host == host


def test_the_path_is_kept_as_its_digest() -> None:
    assert place_of("https://h.test/a/b?c").path_sha256 == sha256(b"/a/b").hexdigest()


@given(st.text() | st.from_regex(r"https?:/{0,3}[^\s]{0,20}CANARY7f3a9c[^\s]{0,20}"))
def test_any_text_has_a_place_that_tells_no_more_than_a_host(url: str) -> None:
    place = place_of(url)
    assert not tells(place.path_sha256)
    assert all(character.isalnum() or character in "._-:" for character in place.host)
