"""Every check of a kind's policy has its answer: it passed, it does not concern the file, or it refused it."""

from collections.abc import Callable

import pytest

from services.verifier.checks.order import policy
from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from tests.media.documents import archive, pdf
from tests.media.moving import sound, video
from tests.media.pictures import animation, heic, picture

MADE: dict[str, tuple[Kind, Callable[[], bytes]]] = {
    "mp4": (Kind.VIDEO, video),
    "webm": (Kind.VIDEO, lambda: video("webm", "libvpx")),
    "mp3": (Kind.AUDIO, sound),
    "flac": (Kind.AUDIO, lambda: sound("flac", "flac")),
    "png": (Kind.IMAGE, picture),
    "bmp": (Kind.IMAGE, lambda: picture("BMP")),
    "gif": (Kind.IMAGE, animation),
    "heic": (Kind.IMAGE, heic),
    "pdf": (Kind.PDF, pdf),
    "zip": (Kind.ARCHIVE, lambda: archive({"a.txt": b"a"})),
    "docx": (Kind.ARCHIVE, lambda: archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"})),
    "text": (Kind.TEXT, lambda: b"some text"),
    "json": (Kind.TEXT, lambda: b'{"a": 1}'),
    "other": (Kind.OTHER, lambda: bytes(10)),
}


@pytest.mark.parametrize("name", MADE)
def test_every_check_of_the_kind_answers_passed_or_not_applicable(name: str, accepted: Callable[..., Facts]) -> None:
    kind, made = MADE[name]
    facts = accepted(made(), kind, Limits(accept_undecoded=frozenset({"heic"})))
    wanted = [check.__name__ for check in policy(kind)]
    assert sorted((*facts.checks, *facts.not_applicable)) == sorted(wanted)
    assert list(facts.checks) == [name for name in wanted if name in facts.checks], "in the order of the policy"


def test_a_check_that_refuses_is_named_with_what_it_saw(examine: Callable[..., Verdict]) -> None:
    verdict = examine(picture()[:-12], Kind.IMAGE)
    assert (verdict.check, verdict.detail) == ("whole_image", "truncated: the PNG has no IEND")


def test_a_kind_that_was_not_promised_is_not_compared(accepted: Callable[..., Facts]) -> None:
    assert "promised_kind" in accepted(picture()).not_applicable
    assert "promised_kind" in accepted(picture(), Kind.IMAGE).checks
