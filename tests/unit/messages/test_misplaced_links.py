"""A link stands in its own field, which is sealed, and in no other, which is not."""

import json
from typing import Any

import pytest

from shared.messages import Rejected
from tests.events import read_ready
from tests.faults.canary import CANARY, tells

LINK = f"https://cdn.example.test/out/clip.mp4?sig={CANARY}&x=1"
NAMES = ("provider", "provider_account", "job_id", "output_id", "operation_id", "attempt_id", "variant", "display_name")


def body(url: str = LINK, event: dict[str, Any] | None = None, **data: Any) -> bytes:
    envelope = {"specversion": "1.0", "id": "e", "source": "tests", "type": "outlast.output.ready", **(event or {})}
    return json.dumps({**envelope, "data": {"provider": "acme", "job_id": "j", "url": url, **data}}).encode()


@pytest.mark.parametrize("text", [LINK, f"clip.mp4?sig={CANARY}&x=1", f"a {LINK} b"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_holds_the_link_is_rejected_and_not_told(name: str, text: str) -> None:
    with pytest.raises(Rejected) as rejected:
        read_ready(body(LINK, None, **{name: text}))
    assert (rejected.value.reason, rejected.value.detail.partition(":")[0]) == ("wrong_schema", name)
    assert not tells(repr(vars(rejected.value)))


@pytest.mark.parametrize("name", ["id", "source", "traceparent"])
def test_so_is_an_attribute_of_the_envelope(name: str) -> None:
    with pytest.raises(Rejected, match="wrong_schema"):
        read_ready(body(event={name: LINK[:128] if name == "traceparent" else LINK}))


def test_a_link_without_a_query_is_looked_for_whole() -> None:
    plain = f"https://cdn.example.test/{CANARY}/clip.mp4"
    with pytest.raises(Rejected):
        read_ready(body(plain, job_id=plain))
    assert read_ready(body(f"{plain}?x=1", operation_id="x=1", display_name="clip.mp4")).data.link == f"{plain}?x=1"


def test_other_names_that_a_link_shares_with_an_event_are_left_alone() -> None:
    event = read_ready(body(display_name="clip.mp4", job_id="clip", event={"source": "https://cdn.example.test/out"}))
    assert event.data.link == LINK
