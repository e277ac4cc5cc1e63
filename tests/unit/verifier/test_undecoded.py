"""Images without a decoder: refused with a way out, or accepted by their structure where the settings say so."""

from collections.abc import Callable

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import UNDECODED, Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.pictures import heic, jxl

ACCEPTING = Limits(accept_undecoded=frozenset(UNDECODED))
MADE = {"heic": heic(), "jxl": jxl(), "jxl without a container": b"\xff\x0a" + bytes(100)}


def of(name: str) -> str:
    return name.split()[0]


@pytest.mark.parametrize("name", MADE)
def test_it_is_refused_with_the_setting_that_would_take_it(name: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(MADE[name], Kind.IMAGE)
    words = f"there is no decoder for {of(name)}; OUTLAST_ACCEPT_UNDECODED takes it without one"
    assert (verdict.reason, verdict.check, verdict.detail) == (Reason.NOT_MEDIA, "decodable", words)


@pytest.mark.parametrize("name", MADE)
def test_where_the_settings_say_so_it_is_accepted_with_a_note(name: str, accepted: Callable[..., Facts]) -> None:
    facts = accepted(MADE[name], Kind.IMAGE, ACCEPTING)
    assert (facts.content_type, facts.extension) == (f"image/{of(name)}", of(name))
    assert facts.notes == ("depth_not_checked",)
    assert {"image_header", "image_size", "image_frames"} <= set(facts.not_applicable)


def test_a_heic_states_its_size(accepted: Callable[..., Facts]) -> None:
    facts = accepted(heic(size=(640, 480)), Kind.IMAGE, ACCEPTING)
    assert (facts.width, facts.height) == (640, 480)


def test_one_name_takes_no_other(examine: Callable[..., Verdict]) -> None:
    limits = Limits(accept_undecoded=frozenset({"jxl"}))
    assert examine(heic(), Kind.IMAGE, limits).reason is Reason.NOT_MEDIA


@pytest.mark.parametrize("name", ["heic", "jxl"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.99])
def test_a_cut_one_is_undecodable(name: str, share: float, examine: Callable[..., Verdict]) -> None:
    data = MADE[name]
    assert examine(data[: int(len(data) * share)], Kind.IMAGE, ACCEPTING).reason is Reason.UNDECODABLE


def test_it_is_an_image_and_no_video(examine: Callable[..., Verdict]) -> None:
    assert examine(heic(), Kind.VIDEO, ACCEPTING).reason is Reason.WRONG_KIND
