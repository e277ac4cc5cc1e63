"""Callback addresses: nobody can make one but us, and each speaks for one account alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.webhooks import Callback, path_of, read_path
from services.ingest.webhooks.address import token
from shared.errors import UsageError
from tests.faults.canary import CANARY, check_texts

KEY, OLDER = CANARY.encode() * 3, b"older" * 8
NAMES = ("studio", "acme", "default")


def test_the_form_of_an_address_is_kept_from_release_to_release() -> None:
    """A provider holds it for as long as a job runs."""
    assert path_of(b"k" * 32, *NAMES) == "/studio/acme/default/eat5nbhyh43kovoblmvzociolsq3n6sv"


def test_an_address_is_read_back_under_the_key_that_made_it_and_under_no_other() -> None:
    path = path_of(KEY, *NAMES).encode()
    assert read_path(path, [KEY]) == Callback(*NAMES)
    assert read_path(path, [OLDER]) is None
    assert read_path(path, []) is None


def test_while_the_key_is_rotated_addresses_of_both_count() -> None:
    for key in (KEY, OLDER):
        assert read_path(path_of(key, *NAMES).encode(), [KEY, OLDER]) == Callback(*NAMES)


@pytest.mark.parametrize(
    "names",
    [
        ("studio2", "acme", "default"),
        ("studio", "acme2", "default"),
        ("studio", "acme", "default2"),
        ("acme", "studio", "default"),
        ("studioa", "cme", "default"),
    ],
)
def test_a_token_counts_for_its_own_names_alone(names: tuple[str, str, str]) -> None:
    path = "/".join(("", *names, token(KEY, *NAMES)))
    assert read_path(path.encode(), [KEY]) is None


def test_names_cannot_be_moved_from_one_to_the_next() -> None:
    assert token(KEY, "a", "b", 'c","d') != token(KEY, "a", 'b","c', "d")


def test_a_token_is_32_letters_and_digits() -> None:
    made = token(KEY, *NAMES)
    assert len(made) == 32
    assert made == made.lower()
    assert made.isalnum()


names = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40).filter(
    lambda name: name not in (".", "..")
)


@given(st.from_regex(r"[a-z0-9][a-z0-9-]{0,62}", fullmatch=True).filter(lambda name: name != "unknown"), names)
def test_every_name_of_an_event_can_be_in_an_address(account: str, provider_account: str) -> None:
    path = path_of(KEY, account, "acme", provider_account)
    assert path.isascii()
    assert len(path.split("/")) == 5
    assert not set(path) & set(" ?#\\\"'<>")
    assert read_path(path.encode(), [KEY]) == Callback(account, "acme", provider_account)


@given(st.binary(max_size=100) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_path_raises(path: bytes) -> None:
    assert read_path(path, [KEY]) is None
    with_token = b"/studio/acme/" + path + b"/" + token(KEY, *NAMES).encode()
    assert read_path(with_token, [KEY]) in (None, Callback(*NAMES))


GOOD = path_of(KEY, *NAMES)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        GOOD[1:],
        "/" + GOOD,
        "x" + GOOD,
        GOOD + "/",
        GOOD + "/x",
        GOOD[:-1],
        GOOD + "a",
        GOOD.upper(),
        GOOD.replace("/acme", "//acme"),
        GOOD.rpartition("/")[0] + "/",
        GOOD.rpartition("/")[0],
        GOOD.replace("/studio/", "/Studio/"),
        GOOD.replace("/studio/", "/studio%00/"),
        GOOD.replace("/studio/", "/studio%0a/"),
        GOOD.replace("/default/", "/default%2F/"),
        GOOD.replace("/default/", "/%FF/"),
        GOOD.replace("/default/", "/default%/"),
        GOOD.replace("/default/", "/./"),
        GOOD + "?x=1",
        GOOD + "é",
    ],
)
def test_any_other_path_is_none(path: str) -> None:
    assert read_path(path.encode(), [KEY]) is None


def test_a_client_may_escape_more_than_it_must() -> None:
    escaped = "".join(f"%{ord(letter):02X}" if letter.isalnum() else letter for letter in GOOD)
    assert read_path(escaped.encode(), [KEY]) == Callback(*NAMES)


@pytest.mark.parametrize(
    "names",
    [
        ("", "acme", "default"),
        ("Studio", "acme", "default"),
        ("unknown", "acme", "default"),
        ("studio\n", "acme", "default"),
        ("s" * 64, "acme", "default"),
        ("studio", "", "default"),
        ("studio", "Acme", "default"),
        ("studio", "acme/x", "default"),
        ("studio", "acme", ""),
        ("studio", "acme", "."),
        ("studio", "acme", ".."),
        ("studio", "acme", "a\x00b"),
        ("studio", "acme", "a\nb"),
        ("studio", "acme", "\ud800"),
        ("studio", "acme", "é" * 257),
    ],
)
def test_a_name_that_no_event_has_gets_no_address(names: tuple[str, str, str]) -> None:
    with pytest.raises(UsageError) as error:
        path_of(KEY, *names)
    check_texts(error.value)
    forged = "/".join(("", *names, token(KEY, *names)))
    assert read_path(forged.encode("utf-8", "surrogatepass"), [KEY]) is None
