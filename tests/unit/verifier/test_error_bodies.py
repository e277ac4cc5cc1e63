"""Errors that a server sends in place of text or of other bytes, control characters and markup; and honest text."""

from collections.abc import Callable

import pytest

from services.verifier.facts import Facts, Verdict
from shared.messages import Kind
from shared.reasons import Reason

ERRORS = [
    b'{"detail": "Not found"}',
    b'{"detail": [{"loc": ["body"], "msg": "field required", "type": "missing"}]}',
    b'{"code":500,"message":"boom"}',
    b'{"status":"error","message":"gone","request_id":"1"}',
    b'{"success":false,"message":"gone"}',
    b'{"message":"Forbidden"}',
    b'{"Message":"Forbidden","Code":"AccessDenied"}',
    b'{"type":"about:blank","title":"Gone","status":410}',
    b'{"status":403,"error":"expired"}',
]
CONTENT = [
    b"{}",
    b'{"title": "The sea"}',
    b'{"code": "print(1)"}',
    b'{"status": "completed"}',
    b'{"success": true, "message": "a poem"}',
    b'{"code": 0, "message": "a poem"}',
    b'{"message": {"role": "assistant", "content": "hello"}}',
    b'{"detail": "high", "text": "hello"}',
    b'{"success": false, "score": 0.1}',
    b'[{"message": "hello"}]',
]
MARKUP = [
    *(
        b"<note>remember</note>",
        b"<note/>",
        b'<rss version="2.0">',
        b"<math><mi>x</mi>",
        b"<img src=x onerror=alert(1)>",
    ),
    *(
        b"<div>hello",
        b"<p>Service unavailable</p>",
        b'<x:a xmlns:x="urn:x">',
        b"  <P >shout",
        "<b>a</b>".encode("utf-16"),
    ),
]
HONEST = [
    "<3 you",
    "<speaker> hello",
    "<A> hi\n<B> hello",
    "<- back",
    "< p >",
    "<think>\nhm\n</think>\nyes",
    "a <p>b</p>",
]


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.OTHER])
@pytest.mark.parametrize("body", ERRORS)
def test_fr31_json_that_is_nothing_but_an_error_is_no_output(
    body: bytes, kind: Kind, examine: Callable[..., Verdict]
) -> None:
    verdict = examine(body, kind)
    assert (verdict.reason, verdict.detail) == (Reason.NOT_MEDIA, "the file is JSON that says an error")


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.OTHER])
@pytest.mark.parametrize("body", CONTENT)
def test_json_with_other_content_is_no_error(body: bytes, kind: Kind, accepted: Callable[..., Facts]) -> None:
    assert accepted(body, kind).kind is kind


@pytest.mark.parametrize("body", MARKUP)
def test_what_begins_as_markup_is_no_text(body: bytes, examine: Callable[..., Verdict]) -> None:
    assert examine(body, Kind.TEXT).reason is Reason.NOT_MEDIA


@pytest.mark.parametrize("body", HONEST)
def test_text_with_angles_is_text(body: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(body.encode(), Kind.TEXT).content_type == "text/plain"


@pytest.mark.parametrize("body", [b"<p>Service unavailable</p>", b"<h1>502</h1>", b"<p>see <svg></svg></p>"])
def test_fr31_a_piece_of_a_page_is_no_other_output(body: bytes, examine: Callable[..., Verdict]) -> None:
    verdict = examine(body, Kind.OTHER)
    assert (verdict.reason, verdict.detail) == (Reason.NOT_MEDIA, "the file is an HTML page")


@pytest.mark.parametrize("code", [0x80, 0x84, 0x86, 0x9B, 0x9D, 0x9F])
def test_control_characters_of_c1_are_no_text(code: int, examine: Callable[..., Verdict]) -> None:
    assert examine(f"a{chr(code)}31mred".encode(), Kind.TEXT).reason is Reason.NOT_MEDIA


def test_the_line_break_of_c1_and_a_space_that_does_not_break_are_text(accepted: Callable[..., Facts]) -> None:
    assert accepted("one\u0085two\u00a0three".encode(), Kind.TEXT).notes == ()
