"""docs/verification.md names every check, format, codec, limit, fact, note and reason of the code, and no other."""

import re
from dataclasses import fields
from itertools import chain

from services.verifier.checks import order, signature
from services.verifier.checks.declared import NOTE
from services.verifier.facts import REASONS, Facts
from services.verifier.policy import AUDIO_CODECS, FORMATS, POLICY_VERSION, VIDEO_CODECS, Limits
from shared.messages import Expected, Kind
from shared.reasons import Reason
from tests.conftest import ROOT

PAGE = (ROOT / "docs/verification.md").read_text(encoding="utf-8")
CHECKS = ROOT / "services/verifier/checks"
SECTIONS = {
    "Video and audio": order.MEDIA,
    "Image": order.IMAGE,
    "PDF": order.PDF,
    "Archive": order.ARCHIVE,
    "Text": order.TEXT,
    "Other": order.PROMISED[Kind.OTHER],
    "Every kind": (*order.OPENING, signature.signature),
}


def section(title: str) -> str:
    """What stands under a heading, up to the next one."""
    return re.split(rf"^#+ {title}$", PAGE, flags=re.M)[1].split("\n#")[0]


def names(title: str) -> list[str]:
    """The first column of the tables under a heading."""
    return re.findall(r"^\| `([^`]+)` \|", section(title), re.M)


def test_every_check_is_told_in_order_with_the_sentence_of_its_code() -> None:
    for title, checks in SECTIONS.items():
        assert names(title) == [check.__name__ for check in checks]
        for check in checks:
            assert f"| `{check.__name__}` | {(check.__doc__ or '').splitlines()[0]} |" in section(title)


def test_every_check_of_every_kind_has_a_section() -> None:
    policy = set(chain.from_iterable(order.policy(kind) for kind in Kind))
    assert policy == set(chain.from_iterable(SECTIONS.values()))


def test_every_format_is_told_with_its_types() -> None:
    assert names("Formats") == list(FORMATS)
    for known in FORMATS.values():
        types = "; ".join(f"{kind}: `{told}`, `.{ending}`" for kind, (told, ending) in known.types.items())
        assert f"| `{known.name}` | {types} |" in section("Formats")


def test_every_codec_is_told() -> None:
    for title, codecs in (("Video", VIDEO_CODECS), ("Audio", AUDIO_CODECS)):
        (line,) = re.findall(rf"^- {title}: (.*)$", section("Codecs"), re.M)
        assert re.findall(r"`(\w+)`", line) == sorted(codecs)


def test_every_limit_is_told_with_its_value() -> None:
    limits = Limits()
    told = {field.name: f"{getattr(limits, field.name):,}".removesuffix(".0") for field in NUMBERS}
    assert names("Limits") == list(told)
    assert all(f"| `{name}` | {value} |" in section("Limits") for name, value in told.items())


NUMBERS = [field for field in fields(Limits) if field.name != "accept_undecoded"]


def test_every_fact_and_every_note_is_told() -> None:
    assert names("Facts") == list(Facts.model_fields)
    code = "".join(path.read_text(encoding="utf-8") for path in CHECKS.glob("*.py"))
    assert names("Notes") == sorted({*re.findall(r"\.note\(\"(\w+)\"\)", code), NOTE})


def test_every_reason_of_an_examination_and_every_promise_is_told() -> None:
    assert set(names("Reasons")) == {str(reason) for reason in {*REASONS, Reason.EXPECTATION_MISMATCH}}
    missing = [name for name in Expected.model_fields if f"`{name}`" not in section("Expectations")]
    assert missing == []


def test_the_page_is_about_this_version_of_the_policy() -> None:
    assert f"names policy {POLICY_VERSION} " in PAGE
