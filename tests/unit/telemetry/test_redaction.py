"""Redaction: whatever holds a secret, its copy does not."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr, ValidationError

from shared.errors import Failure
from shared.messages import OutputReady
from shared.reasons import Reason
from shared.redaction import redact
from shared.redaction.text import MAX_SCANNED, MAX_TEXT

CANARY = "SECRETMARK7"

PARAMETERS = re.findall(
    r"[\w-]+",
    """sig Signature X-Amz-Signature X-Goog-Signature x-oss-signature X-BFL-Signature q-signature Policy token
    access_token _jwt jwt auth_key hdnts hdnea key Key-Pair-Id KeyPairId password passwd secret wsSecret txSecret
    client_secret X-Amz-Credential X-Amz-Security-Token security-token OSSAccessKeyId AWSAccessKeyId
    GoogleAccessId apikey api_key hmac sign Authorization Proxy-Authorization x-api-key X-Api-Key Cookie
    Set-Cookie webhook-signature""",
)

LEGAL = st.text("abcXYZ0189-._~!$&'()*+,;=:@%", max_size=12)
SCHEMES = st.sampled_from(["https", "http", "HTTPS", "amqp", "amqps", "postgresql", "postgresql+psycopg"])
HOSTS = st.sampled_from(["cdn.example", "cdn.example:8443", "127.0.0.1:9000", "[2001:db8::1]:80"])


@st.composite
def urls(draw: st.DrawFn) -> str:
    """A URL with the canary in one or all of: user, password, path, query, fragment."""
    where = draw(st.sets(st.sampled_from("upqf"), min_size=1))
    around = draw(LEGAL).replace("@", ""), draw(LEGAL).replace("@", "")
    secret = around[0] + CANARY + around[1]
    user = f"user:{secret.replace(':', '')}@" if "u" in where else ""
    path = f"/{draw(LEGAL)}/{secret if 'p' in where else 'a.mp4'}"
    query = f"?{draw(LEGAL)}&x={secret}" if "q" in where else ""
    fragment = f"#{secret}" if "f" in where else ""
    return f"{draw(SCHEMES)}://{user}{draw(HOSTS)}{path}{query}{fragment}"


WRITINGS: dict[str, Callable[[str], str]] = {
    "raw": str,
    "percent-coded": lambda url: quote(url, safe=""),
    "percent-coded twice": lambda url: quote(quote(url, safe=""), safe=""),
    "in JSON": lambda url: json.dumps({"url": url, "n": 1}),
    "in JSON with escaped slashes": lambda url: json.dumps({"url": url}).replace("/", "\\/"),
    "in JSON with escaped signs": lambda url: json.dumps(url).replace("&", "\\u0026").replace("/", "\\u002f"),
    "in JSON in JSON": lambda url: json.dumps({"body": json.dumps({"url": url}).replace("/", "\\/")}),
    "in a repr": lambda url: repr({"url": url}),
    "as a parameter": lambda url: f"/proxy?next={quote(url, safe='')}&n=1",
    "in brackets": lambda url: f"<{url}>; rel=next",
    "in a log of urllib3": lambda url: f'{url} "GET {url} HTTP/1.1" 403 None',
}


def shown(value: object) -> str:
    return json.dumps(redact(value), allow_nan=False)


@given(url=urls(), writing=st.sampled_from(sorted(WRITINGS)), around=st.tuples(st.text(), st.text()))
@example(url=f"amqp://user:pa/ss{CANARY}@h/v", writing="raw", around=("", ""))
@example(url=f"https:/{CANARY}/x", writing="raw", around=("", ""))
@example(url=f"https:\\\\host\\{CANARY}", writing="raw", around=("", ""))
def test_no_writing_of_a_url_shows_its_secrets(url: str, writing: str, around: tuple[str, str]) -> None:
    text = f"{around[0]} {WRITINGS[writing](url)} {around[1]}"
    for value in (text, text.encode("utf-8", "replace"), ValueError(text), [text], {"a": {text: [(text,)]}}):
        assert CANARY not in shown(value)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize(
    "writing",
    [
        "{0}={1}",
        "?a=1&{0}={1}&b=2",
        "%3Fa%3D1%26{0}%3D{1}%26b%3D2",
        "%253Fa%253D1%2526{0}%253D{1}",
        "a=1\\u0026{0}\\u003d{1}",
        "{0}: {1}",
        "{0} => {1}",
        '{{"{0}": "{1}"}}',
        '{{"{0}":"x y {1}"}}',
        '{{\\"{0}\\":\\"x y {1}\\"}}',
        "{{'{0}': b'it\\'s {1}'}}",
        "[('{0}', '{1}')]",
        "Request(url=None, {0}='x {1}')",
        "<{0}>a {1}</{0}>",
    ],
)
def test_a_parameter_with_a_secret_name_loses_its_value(name: str, writing: str) -> None:
    assert CANARY not in redact(writing.format(name, CANARY))


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_field_with_a_secret_name_loses_its_value(name: str) -> None:
    for value in ({name: CANARY}, {name: [CANARY]}, [(name, CANARY)], [(name.encode(), CANARY.encode())]):
        assert CANARY not in shown(value)


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {CANARY}",
        f"Authorization: Key id:{CANARY}",
        f'Authorization: Digest username="u", response="{CANARY}"',
        f"Cookie: a=1; b={CANARY}",
        f"sent bearer {CANARY} there",
        f"eyJhbGciOiJI.{CANARY}.c2ln",
        f"sk-proj-{CANARY}abcdefgh",
        f"-----BEGIN PRIVATE KEY-----\nMIIE\n{CANARY}\n-----END PRIVATE KEY-----",
        f"-----BEGIN RSA PRIVATE KEY-----\\n{CANARY}",
        f'https://h:443 "GET /a/{CANARY} HTTP/1.1" 200 None',
        f"Max retries exceeded with url: /{CANARY} (Caused by X)",
        f"Incremented Retry for (url='/{CANARY}'): Retry(total=2)",
        f"Redirecting /a/{CANARY} -> /b/{CANARY}",
        f"/relative/{CANARY}?x=1",
        f"connecting to user:{CANARY}@broker:5672",
        f"host=db user=u password='it''s {CANARY}' dbname=d",
    ],
)
def test_credentials_in_free_text_are_hidden(text: str) -> None:
    assert CANARY not in redact(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET https://u:p@cdn.example:8443/a?sig=1#f failed", "GET https://cdn.example:8443/... failed"),
        ("see https%3A%2F%2Fcdn.example%2Fa%3Fsig%3D1 now", "see https://cdn.example/... now"),
        ('{"url":"https:\\/\\/cdn.example\\/a","n":1}', '{"url":"https://cdn.example/...","n":1}'),
        ("postgresql://u:p@db:5432/outlast", "postgresql://db:5432/..."),
        ("?sig=abc&n=1", "?sig=[hidden]&n=1"),
    ],
)
def test_scheme_and_host_and_the_text_around_stay(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "task 5b1c stored 3 bytes in 0.2 s",
        "s3://outlast-assets/video/acme/job/1-ab.mp4",
        "author=bob design=3 signal: 9 routing_key=verify.done object_key=a/b monkey=1",
        "/etc/outlast/keys is not readable",
        "listening on http://127.0.0.1:9000.",
        'connection to server at "10.0.0.1", port 5432 failed',
    ],
)
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


def test_redacting_twice_changes_nothing_more() -> None:
    once = redact({"error": f"https://u:{CANARY}@h/p?sig=1", "text": f"sig={CANARY}&b=1 'token': '{CANARY}', c"})
    assert redact(once) == once


def test_values_keep_their_json_types() -> None:
    value = {"a": None, "b": True, "c": 3, "d": 1.5, "e": [1, "x"], "f": ("y",), "token": None}
    assert redact(value) == {"a": None, "b": True, "c": 3, "d": 1.5, "e": [1, "x"], "f": ["y"], "token": None}
    task = UUID(int=7)
    assert redact([task, Path("/a/b"), Reason.STALLED, float("inf"), b"\xff\x00", SecretStr("x")]) == [
        str(task),
        "/a/b",
        "stalled",
        "inf",
        "[2 bytes]",
        "**********",
    ]


def test_an_exception_is_its_type_and_its_redacted_text() -> None:
    assert redact(ValueError(f"no answer from https://h/{CANARY}")) == "ValueError: no answer from https://h/..."
    assert redact(Failure(Reason.STALLED, {"url": CANARY})) == "Failure: stalled"


def test_an_object_that_cannot_be_printed_is_named() -> None:
    class Broken:
        def __str__(self) -> str:
            raise ValueError(CANARY)

    assert redact([Broken()]) == ["[unprintable Broken]"]


def test_the_input_of_a_parser_error_is_hidden() -> None:
    class Shown(BaseModel):
        n: int

    for model, field in ((Shown, "n"), (OutputReady, "provider")):
        with pytest.raises(ValidationError) as caught:
            model.model_validate({field: [CANARY]})
        assert CANARY not in shown(caught.value)


@given(
    st.recursive(
        st.text() | st.binary() | st.floats() | st.integers(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_every_value_becomes_strict_json(value: object) -> None:
    json.loads(shown(value))


def test_output_is_bounded() -> None:
    endless: list[object] = []
    endless.extend([endless] * 100)
    for value in ("x " * 10**6, [["y"] * 1000] * 1000, {str(n): "z" * 100 for n in range(10**4)}, endless, 10**5000):
        assert len(shown(value)) < 60 * MAX_TEXT


def test_a_text_cut_inside_a_url_does_not_show_its_user() -> None:
    text = ("a " * MAX_SCANNED)[: MAX_SCANNED - len(f"https://{CANARY}")] + f"https://{CANARY}:password@host/x"
    assert CANARY not in redact(text)


@pytest.mark.parametrize(
    "piece",
    [
        "/",
        "\\",
        "a",
        "token",
        "'\\",
        "sig='",
        "http:/",
        "eyJabcdefgh.",
        "a:b@",
        "%25",
        "<sig",
        "-> '",
        "key ",
        "-----BEGIN X-----",
        "\\u",
        "x-amz-",
    ],
)
def test_a_hostile_text_takes_no_longer_than_its_length_asks(piece: str) -> None:
    began = time.process_time()
    redact(piece * (MAX_SCANNED // len(piece)))
    # Without bounded repeats some of these take minutes.
    assert time.process_time() - began < 2.0
