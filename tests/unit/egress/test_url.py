"""The URL parser: one reading only, and the target byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.egress import MAX_URL, Refused, parse


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://h.test/a%2fb/../c//d/%7euser?sig=a%2bb%3d&x=[1]", "/a%2fb/../c//d/%7euser?sig=a%2bb%3d&x=[1]"),
        ("https://h.test", "/"),
        ("https://h.test?x=1", "/?x=1"),
        ("https://h.test/?", "/?"),
        ("https://h.test/a;b=1?c=/d?e=@f#g?h", "/a;b=1?c=/d?e=@f"),
        ("https://h.test/'\"<>^`{|}~!$()*,", "/'\"<>^`{|}~!$()*,"),
        ("https://h.test/+%20%2B?a=+&b=%&c=%zz", "/+%20%2B?a=+&b=%&c=%zz"),
    ],
)
def test_the_target_is_kept_byte_for_byte(url: str, target: str) -> None:
    assert parse(url).request_target == target


def test_only_what_is_not_ascii_is_percent_coded() -> None:
    assert parse("https://h.test/ä%2F/猫?q=é+%20").request_target == "/%C3%A4%2F/%E7%8C%AB?q=%C3%A9+%20"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("file:///etc/passwd", "scheme"),
        ("ftp://h.test/x", "scheme"),
        ("gopher://h.test/x", "scheme"),
        ("data:image/png;base64,AA==", "scheme"),
        ("//h.test/x", "scheme"),
        ("h.test/x", "scheme"),
        ("https:/h.test/x", "scheme"),
        ("http\u017f://h.test/x", "scheme"),
        ("https:h.test", "scheme"),
        ("", "scheme"),
        ("https://user@h.test/", "userinfo"),
        ("https://user:pw@h.test/", "userinfo"),
        ("https://user@h.test@127.0.0.1/", "userinfo"),
        ("https://@h.test/", "userinfo"),
        ("https:///path", "authority"),
        ("https://", "authority"),
        ("https://h.test:/", "authority"),
        ("https://h.test:0/", "authority"),
        ("https://h.test:0443/", "authority"),
        ("https://h.test:65536/", "authority"),
        ("https://h.test:4_4/", "authority"),
        ("https://h.test:443:443/", "authority"),
        ("https://[::1/", "authority"),
        ("https://[::1]x/", "authority"),
        ("https://[v1.x]/", "authority"),
        ("https://[fe80::1%25eth0]/", "authority"),
        ("https://h.test/a b", "characters"),
        (" https://h.test/", "characters"),
        ("https://h.test/\r\nX: y", "characters"),
        ("https://h.test/\t", "characters"),
        ("https://h.test/\x00", "characters"),
        ("https://h.test/\x7f", "characters"),
        ("https://h.test\\@evil.test/", "characters"),
        ("https://h.test/\ud800", "characters"),
        ("https://h.test/" + "a" * MAX_URL, "too_long"),
    ],
)
def test_a_url_that_two_readers_could_read_differently_is_refused(url: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(url)
    assert refused.value.why == why
    assert not refused.value.is_host


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0x7f.0.0.1",
        "017700000001",
        "0177.0.0.1",
        "127.1",
        "127.0.1",
        "127.0.0.01",
        "127.0.0.256",
        "127.0.0.1.",
        "\uff11\uff12\uff17.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "%31%32%37.0.0.1",
        "foo.0x7f",
        "1.2.3.4.5",
        "0x",
        "localhost.",
        "h..test",
        ".h.test",
        "h.test.",
        "-h.test",
        "h-.test",
        "h*.test",
        "h,test",
        "münchen.test",
        "\u017f.test",
        "\u212aelvin.test",
        "0X7F.0.0.1",
        "a" * 64 + ".test",
        ".".join(["a" * 60] * 5),
        "[::1.2.3]",
        "[:::1]",
        "[12345::]",
        "[127.0.0.1.1]",
    ],
)
def test_case_88_and_91_a_host_in_an_unusual_form_is_refused(host: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(f"https://{host}/x")
    assert refused.value.why == "host_form"
    assert refused.value.is_host


def test_scheme_and_host_are_compared_in_lower_case_and_the_port_has_its_default() -> None:
    target = parse("HTTPS://Media.Example.TEST/A")
    assert target.origin == ("https", "media.example.test", 443)
    assert (target.authority, target.path) == ("media.example.test", "/A")
    assert parse("http://h.test/").port == 80
    assert parse("https://h.test:8443/").authority == "h.test:8443"
    assert parse("https://h.test:443/").authority == "h.test"


def test_an_ip_literal_is_read_as_an_address() -> None:
    assert str(parse("https://93.184.216.34/").literal) == "93.184.216.34"
    six = parse("https://[2606:4700:0::1]:8443/")
    assert (six.host, six.authority) == ("2606:4700::1", "[2606:4700::1]:8443")


def test_neither_the_text_of_a_refusal_nor_of_a_target_shows_the_path_or_query() -> None:
    url = "https://h.test/CANARY-path?sig=CANARY-query"
    assert "CANARY" not in repr(parse(url))
    with pytest.raises(Refused) as refused:
        parse(f"https://CANARY@{url}")
    assert "CANARY" not in f"{refused.value!r}{refused.value}"


@given(st.text() | st.from_regex(r"https?://[^\s]{1,80}"))
def test_any_text_is_parsed_or_refused_and_what_is_sent_is_ascii_without_spaces(url: str) -> None:
    try:
        target = parse(url)
    except Refused:
        return
    assert target.request_target.startswith("/")
    assert all("!" <= character <= "~" for character in target.request_target + target.authority)
    assert parse(f"{target.scheme}://{target.authority}{target.request_target}").origin == target.origin
