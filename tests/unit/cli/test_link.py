"""What is no link is refused before anything is sent, and never shown."""

import io

import pytest

from outlast.cli.link import link_of
from shared.errors import UsageError

CANARY = "CANARY-7a1e"


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("", "is empty"),
        (f"ftp://h/{CANARY}", "does not begin with https"),
        (f"/{CANARY}/out.mp4", "does not begin with https"),
        (f"file:///{CANARY}", "does not begin with https"),
        (f"https://user:{CANARY}@h/x", "holds a user or a password"),
        (f"https://{CANARY}@h/x", "holds a user or a password"),
        (f"https:///{CANARY}", "names no host"),
        (f"https://:443/{CANARY}", "names no host"),
        (f"https://h/{CANARY} x", "holds blanks"),
        (f" https://h/{CANARY}", "holds blanks"),
        (f"https://h/{CANARY}\x07", "holds blanks"),
        (f"https://h\\{CANARY}", "holds blanks"),
        (f"https://h:99999/{CANARY}", "cannot be read"),
        (f"https://[{CANARY}/x", "cannot be read"),
    ],
)
def test_a_wrong_link_is_refused_in_words_that_do_not_show_it(link: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault) as caught:
        link_of(link)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "link", [None, "https://h/x?sig=a%2Fb", "http://127.0.0.1:8080/x", "HTTPS://[::1]/x", "data:image/png;base64,AA=="]
)
def test_a_good_link_and_none_stay_as_they_are(link: str | None) -> None:
    assert link_of(link) == link


def test_standard_input_is_checked_like_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, fault in (("\n", "No link came"), ("ftp://h/x\n", "does not begin")):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        with pytest.raises(UsageError, match=fault):
            link_of("-")
    monkeypatch.setattr("sys.stdin", io.StringIO("https://h/x\n"))
    assert link_of("-") == "https://h/x"
