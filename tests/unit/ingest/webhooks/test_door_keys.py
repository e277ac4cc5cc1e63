"""The keys of callback addresses in their file, and the door's own address."""

from base64 import b64encode
from pathlib import Path

import pytest

from services.ingest.webhooks.door_keys import read_keys
from services.ingest.webhooks.public_url import PublicUrl
from shared.errors import UsageError
from tests.faults.canary import CANARY, check_texts

NEW, OLD = f"{CANARY}-new".encode() * 2, f"{CANARY}-old".encode() * 3


def test_all_keys_of_the_ring_count_in_their_order(tmp_path: Path) -> None:
    ring = tmp_path / "ring"
    ring.write_text(f"\n{b64encode(NEW).decode()}\n  {b64encode(OLD).decode()}\n")
    assert read_keys(ring) == (NEW, OLD)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        CANARY,
        b64encode(CANARY.encode()).decode(),
        f"{b64encode(NEW).decode()}\n{b64encode(NEW[:31]).decode()}",
        f"k1:{b64encode(NEW).decode()}",
        "\u00fc" + CANARY,
    ],
)
def test_a_file_that_is_no_ring_is_told_without_a_word_of_it(tmp_path: Path, text: str) -> None:
    ring = tmp_path / "ring"
    ring.write_text(text)
    with pytest.raises(UsageError) as error:
        read_keys(ring)
    check_texts(error.value)
    assert str(ring) in str(error.value)


def test_without_a_file_the_setting_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="OUTLAST_WEBHOOK_KEY_FILE"):
        read_keys(None)
    with pytest.raises(UsageError, match="Cannot read"):
        read_keys(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://hooks.example", ""),
        ("https://hooks.example/", ""),
        ("https://hooks.example:8443/in", "/in"),
        ("https://hooks.example/in/deep/", "/in/deep"),
    ],
)
def test_a_callback_lies_below_the_path_of_the_door(url: str, base: str) -> None:
    public = PublicUrl(url)
    address = public.callback(NEW, "studio", "acme", "default")
    origin = url.removesuffix("/").removesuffix(base)
    path = address.removeprefix(origin).encode()
    assert address.startswith(f"{origin}{base}/studio/acme/default/")
    assert public.whole(path) == address
    below = public.below(path)
    assert below is not None
    assert below.startswith(b"/studio/acme/default/")
    assert public.below(b"/elsewhere") is None or base == ""
