"""Text and other bytes, which are taken only when they were promised, and what is never taken in their place."""

import json
import time
from collections.abc import Callable

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import pdf
from tests.media.moving import sound, video
from tests.media.pictures import picture

PLAIN = {
    "ascii": b"A transcript.\nLine two.\r\n\tTabbed.\n",
    "umlauts": "Größe, 日本語, 🎬\n".encode(),
    "utf-8 with a mark": b"\xef\xbb\xbfmarked",
    "utf-16 little": b"\xff\xfe" + "Größe".encode("utf-16-le"),
    "utf-16 big": b"\xfe\xff" + "Größe".encode("utf-16-be"),
    "captions": b"WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n",
    "markdown": b"<!-- made by a model -->\n# Title\n<br> and text\n",
    "speakers": b"[Speaker 1] hello\n",
    "braces": b"{speaker} said so\n",
    "bitmap letters": b"BMW is a name\n",
    "one line": b"x",
}
JSON = {
    "object": b'{"text": "hello", "segments": [{"start": 0.0}]}',
    "array": b' \r\n[{"a": 1}, [2]]',
    "no error": b'{"error": null, "errors": [], "text": "hello"}',
    "marked": b"\xef\xbb\xbf" + b'{"a": "b"}',
    "wide": b"\xff\xfe" + '{"a": "ü"}'.encode("utf-16-le"),
    "deep enough": b"[" * 100 + b"]" * 100,
}
HTML = b"<!DOCTYPE html><html><body>Sign in</body></html>"
S3_ERROR = b'<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code></Error>'
JSON_ERROR = b' {"error": {"message": "expired"}}'
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
ENTITIES = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbb"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize("name", PLAIN)
def test_promised_text_is_accepted_as_plain_text(name: str, accepted: Callable[..., Facts]) -> None:
    facts = accepted(PLAIN[name], Kind.TEXT)
    assert (facts.kind, facts.content_type, facts.extension) == (Kind.TEXT, "text/plain", "txt")
    assert facts.codecs == ("utf-16" if name.startswith("utf-16") else "utf-8",)


@pytest.mark.parametrize("name", JSON)
def test_promised_text_that_is_json_is_parsed_and_keeps_its_type(name: str, accepted: Callable[..., Facts]) -> None:
    facts = accepted(JSON[name], Kind.TEXT)
    assert (facts.content_type, facts.extension, facts.container) == ("application/json", "json", "json")


def test_json_line_by_line_is_text_with_a_note(accepted: Callable[..., Facts]) -> None:
    facts = accepted(b'{"a": 1}\n{"a": 2}\n\n{"a": 3}\n', Kind.TEXT)
    assert (facts.content_type, facts.notes) == ("text/plain", ("json_lines",))


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[\n",
        json.dumps({"text": "x" * 100}).encode()[:-3],
        b'{"a": 1}\n{"a": 2}\n{"a": ',
        b'{"a": NaN}',
        b'{"a": 1} trailing',
        b"\xe4\xf6\xfc latin-1",
        "Größe".encode()[:3],
        b"\xff\xfe" + "ab".encode("utf-16-le")[:3],
        b"\xff\xfe\x00\xd8a\x00",
    ],
    ids=[
        "object cut",
        "list cut",
        "cut",
        "cut line",
        "no number",
        "rest",
        "latin-1",
        "cut character",
        "cut pair",
        "half a surrogate",
    ],
)
def test_text_that_is_broken_is_undecodable(data: bytes, examine: Callable[..., Verdict]) -> None:
    assert examine(data, Kind.TEXT).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("data", [b"a\0b", b"bell \x07", b"\x1b[31mred", bytes(range(1, 32))])
def test_control_characters_are_no_text(data: bytes, examine: Callable[..., Verdict]) -> None:
    assert examine(data, Kind.TEXT).reason is Reason.NOT_MEDIA


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.OTHER])
@pytest.mark.parametrize("lead", [b"", b"\xef\xbb\xbf", b" \r\n"])
@pytest.mark.parametrize(
    ("body", "what"),
    [(HTML, "an HTML page"), (S3_ERROR, "XML that says an error"), (JSON_ERROR, "JSON that says an error")],
)
def test_fr31_fr32_a_page_or_an_error_is_no_output_of_any_kind(
    body: bytes, what: str, lead: bytes, kind: Kind, examine: Callable[..., Verdict]
) -> None:
    verdict = examine(lead + body, kind)
    assert (verdict.reason, verdict.detail) == (Reason.NOT_MEDIA, f"the file is {what}")


def test_fr31_an_error_anywhere_in_the_first_level_of_json_is_no_text(examine: Callable[..., Verdict]) -> None:
    verdict = examine(b'{"text": "", "error": "expired"}', Kind.TEXT)
    assert (verdict.reason, verdict.check) == (Reason.NOT_MEDIA, "json_text")


@pytest.mark.parametrize("body", [SVG, ENTITIES, b" <!-- a -->" + SVG, SVG.decode().encode("utf-16")])
def test_fault101_markup_is_never_text_and_as_other_it_is_only_bytes(
    body: bytes, accepted: Callable[..., Facts], examine: Callable[..., Verdict]
) -> None:
    assert examine(body, Kind.TEXT).reason is Reason.NOT_MEDIA
    assert accepted(body, Kind.OTHER).content_type == "application/octet-stream"


@pytest.mark.parametrize("made", [picture, video, sound, pdf], ids=["image", "video", "audio", "pdf"])
def test_media_where_text_was_promised_is_the_wrong_kind(
    made: Callable[[], bytes], examine: Callable[..., Verdict]
) -> None:
    assert examine(made(), Kind.TEXT).reason is Reason.WRONG_KIND


def test_text_and_other_bytes_are_never_guessed(examine: Callable[..., Verdict]) -> None:
    for data in (*PLAIN.values(), *JSON.values(), bytes(100)):
        assert not examine(data, None).accepted


@pytest.mark.parametrize(
    "limits", [Limits(text_bytes=9), Limits(json_bytes=9), Limits(json_depth=1)], ids=["bytes", "json", "depth"]
)
def test_text_beyond_a_limit_is_unsafe(limits: Limits, examine: Callable[..., Verdict]) -> None:
    assert examine(b'{"a": [1, 2]}', Kind.TEXT, limits).reason is Reason.UNSAFE_MEDIA


@pytest.mark.parametrize("depth", [101, 100_000])
def test_json_that_is_nested_without_end_is_unsafe(depth: int, examine: Callable[..., Verdict]) -> None:
    assert examine(b"[" * depth + b"]" * depth, Kind.TEXT).reason is Reason.UNSAFE_MEDIA


def test_a_number_of_a_hundred_thousand_digits_is_bounded(examine: Callable[..., Verdict]) -> None:
    assert examine(b'{"a": ' + b"9" * 100_000 + b"}", Kind.TEXT).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("data", [b"\x00", bytes(1000), b"\x7fELF" + bytes(60), b"text", picture()])
def test_other_bytes_are_kept_as_bytes_whatever_they_are(data: bytes, accepted: Callable[..., Facts]) -> None:
    facts = accepted(data, Kind.OTHER)
    assert (facts.kind, facts.content_type, facts.extension) == (Kind.OTHER, "application/octet-stream", "bin")
    assert facts.checks == ("not_empty", "no_error_body", "opaque")


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.OTHER])
def test_an_empty_file_is_nothing(kind: Kind, examine: Callable[..., Verdict]) -> None:
    assert examine(b"", kind).reason is Reason.NOT_MEDIA


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.OTHER, Kind.IMAGE])
@pytest.mark.parametrize("unit", [b"<!---->", b"<!-- -->\n", b"<?a?>", b" "])
def test_a_head_that_is_made_to_confuse_a_pattern_takes_no_time(
    unit: bytes, kind: Kind, examine: Callable[..., Verdict]
) -> None:
    started = time.process_time()
    examine(unit * 2000 + b"<", kind)
    assert time.process_time() - started < 1
