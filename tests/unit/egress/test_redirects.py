"""Where a redirect leads, and what may be said of the way."""

import pytest

from shared.egress import Headers, parse
from shared.egress.redirects import next_url
from shared.egress.trail import Trail
from shared.errors import Failure
from shared.reasons import Reason

BASE = parse("https://h.test:8443/a/b%2Fc/d.mp4?sig=1")


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("https://o.test/x%2fy/../z?q=[1]&&", "https://o.test/x%2fy/../z?q=[1]&&"),
        ("HTTPS://o.test/", "HTTPS://o.test/"),
        ("//o.test/x", "https://o.test/x"),
        ("/x/../y?z", "https://h.test:8443/x/../y?z"),
        ("?z=1", "https://h.test:8443/a/b%2Fc/d.mp4?z=1"),
        ("e.mp4?z=/../1", "https://h.test:8443/a/b%2Fc/e.mp4?z=/../1"),
        ("./e", "https://h.test:8443/a/b%2Fc/e"),
        ("../e", "https://h.test:8443/a/e"),
        ("../../../../e", "https://h.test:8443/e"),
        ("/\xc3\xa4", "https://h.test:8443/%C3%A4"),
    ],
)
def test_a_location_is_joined_without_rewriting_it(location: str, url: str) -> None:
    assert next_url(BASE, Headers({"Location": location})) == url


@pytest.mark.parametrize("fields", [[], [("Location", "")], [("Location", "/a"), ("Location", "/b")]])
def test_fr14_a_redirect_without_one_clear_location_is_refused(fields: list[tuple[str, str]]) -> None:
    with pytest.raises(Failure) as failure:
        next_url(BASE, Headers(fields))
    assert failure.value.reason is Reason.REDIRECT_REFUSED


@pytest.mark.parametrize("location", ["http://h.test/", "ftp://h.test/", "file:///etc/passwd", "javascript:x"])
def test_case_61_a_redirect_never_leaves_https(location: str) -> None:
    with pytest.raises(Failure) as failure:
        next_url(BASE, Headers({"Location": location}))
    assert failure.value.evidence == {"refused": "downgrade"}


def test_the_trail_keeps_hosts_and_digests_and_cuts_every_part_of_its_urls() -> None:
    trail = Trail(["Bearer CANARY-key"])
    trail.start(parse("https://h.test/CANARY%2Fpath/CANARYFILE.mp4?token=CANARY%2Bquery&x"))
    trail.answered(302)
    trail.start(parse("https://o.test/?CANARYFLAG"))
    echoed = "no /CANARY/path for CANARY+query, CANARYFILE.mp4 with CANARY-key or CANARY%2Bquery and CANARYFLAG"
    assert "CANARY" not in trail.conceal(echoed) + repr(trail.evidence())
    assert [(hop.host, hop.status) for hop in trail.hops] == [("h.test", 302), ("o.test", None)]
    assert all(len(hop.path_sha256) == 64 for hop in trail.hops)


@pytest.mark.parametrize(
    "echoed",
    [
        "no /SECRETPATH/Clip.MP4 here",
        "wrong abcdefghijkl%2BMNOPQR",
        "wrong ABCDEFGHIJKL+mnop...",
        "AbCdEfGh*** is no signature",
        "/secretpath/... is gone",
    ],
)
def test_a_secret_is_cut_in_any_case_and_also_where_the_source_tells_its_beginning_alone(echoed: str) -> None:
    trail = Trail()
    trail.start(parse("https://h.test/secretpath/clip.mp4?Expires=3600&sig=AbCdEfGhIjKl%2BMnOpQr"))
    told = trail.conceal(echoed)
    assert "[cut]" in told
    assert not any(part in told.lower() for part in ("abcd", "mnop", "ijkl", "secret", "clip"))


def test_what_helps_a_person_stays() -> None:
    trail = Trail()
    trail.start(parse("https://h.test/p?X-Amz-Expires=3600&X-Amz-Signature=AbCdEfGhIjKl&x=1&x"))
    text = "<Code>AccessDenied</Code> X-Amz-Expires must be less than a week; X-Amz-Signature is wrong"
    assert trail.conceal(text) == text
