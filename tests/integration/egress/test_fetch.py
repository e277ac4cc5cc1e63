"""One call through the door: what is sent, what is followed, what is refused."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event, Timer

import pytest

from shared.egress import Answer, Policy, fetch
from shared.errors import Failure, Stopping, UsageError
from shared.reasons import Reason
from tests.faults.answers import answer, chunked, closing, head, in_turn, raw, redirect, routes
from tests.faults.canary import CANARY, LINK, check_silent
from tests.faults.server import FaultServer, Line

KEY = {"Authorization": f"Bearer {CANARY}"}
SECRET_NAMES = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}


def policy(*servers: FaultServer, **more: object) -> Policy:
    allow = frozenset(server.pair for server in servers)
    return Policy(allow=allow, http=True, **{"connect_seconds": 2.0, "idle_seconds": 0.6, **more})  # type: ignore[arg-type]


def get(server: FaultServer, *others: FaultServer, path: str = LINK, **more: object) -> tuple[Answer, bytes]:
    with fetch(server.url(path), policy(server, *others), **more) as found:  # type: ignore[arg-type]
        return found, b"".join(found.stream())


def failing(server: FaultServer, *others: FaultServer, path: str = LINK, **more: object) -> Failure:
    with pytest.raises(Failure) as failure:
        get(server, *others, path=path, **more)
    check_silent(failure.value)
    return failure.value


def test_the_target_goes_over_the_wire_byte_for_byte() -> None:
    target = "/a%2fb/../c//d/%7euser?sig=a%2bb%3d&x=[1]&y=%zz&&"
    with FaultServer(answer(b"ok")) as server:
        _, body = get(server, path=target)
        assert body == b"ok"
        assert server.requests[0].head.startswith(f"GET {target} HTTP/1.1\r\n".encode())


def test_case_61_a_call_sends_only_what_it_must() -> None:
    with FaultServer(answer(b"ok")) as server:
        get(server, headers={"Accept": "video/*"}, credential=KEY)
        assert server.requests[0].headers == {
            "host": f"127.0.0.1:{server.port}",
            "user-agent": "outlast",
            "accept": "video/*",
            "accept-encoding": "identity",
            "connection": "close",
            "authorization": f"Bearer {CANARY}",
        }


def test_case_98_proxies_and_netrc_of_the_environment_are_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    with FaultServer(answer(b"proxied")) as proxy, FaultServer(answer(b"direct")) as server:
        netrc = f"{tmp_path}/netrc"
        with open(netrc, "w") as file:
            file.write("machine 127.0.0.1 login CANARY password CANARY\n")
        monkeypatch.setenv("NETRC", netrc)
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        assert get(server)[1] == b"direct"
        assert proxy.connections == 0
        assert not SECRET_NAMES & set(server.requests[0].headers)


def test_a_post_with_a_body_arrives_whole_and_its_redirect_is_refused() -> None:
    with FaultServer(in_turn(answer(b"ok"), redirect("/other", 307))) as server:
        get(server, method="POST", body=b"x" * 100_000)
        assert (server.requests[0].method, len(server.requests[0].body)) == ("POST", 100_000)
        failure = failing(server, method="POST", body=b"x")
        assert (failure.reason, failure.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "method")


@pytest.mark.parametrize("name", ["Host", "Content-Length", "X:Y", "X\r\nY", ""])
def test_a_header_name_that_would_change_the_request_is_a_usage_error(name: str) -> None:
    with FaultServer(answer()) as server, pytest.raises(UsageError):
        get(server, headers={name: "x"})


def test_a_credential_with_a_line_end_is_a_usage_error_that_does_not_show_it() -> None:
    with FaultServer(answer()) as server, pytest.raises(UsageError) as error:
        get(server, credential={"Authorization": f"{CANARY}\r\nX: y"})
    check_silent(error.value)
    assert server.connections == 0


# --- redirects (FR-12, FR-14, FR-16, cases 61 and 94)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_fr14_every_kind_of_redirect_is_followed_with_its_target_kept(status: int) -> None:
    scripts = routes({"/a": redirect("/b%2f?sig=a%2bb&[1]", status), "/b%2f": answer(b"here")})
    with FaultServer(scripts) as server:
        found, body = get(server, path="/a")
        assert body == b"here"
        assert server.requests[1].target == "/b%2f?sig=a%2bb&[1]"
        assert [(hop.host, hop.status) for hop in found.hops] == [("127.0.0.1", status), ("127.0.0.1", 200)]


def test_fr12_no_credential_and_no_other_header_crosses_origins() -> None:
    secrets = {**KEY, "X-Api-Key": "k", "Api-Key": "k", "X-Goog-Api-Key": "k", "Cookie": "k"}

    def refuses_two_auth_mechanisms(line: Line) -> None:
        if SECRET_NAMES & set(line.request.headers):
            raise AssertionError("a credential crossed origins")
        line.send(head(200, "Content-Length: 5"), b"bytes")

    with FaultServer(refuses_two_auth_mechanisms) as storage:
        with FaultServer(redirect(storage.url("/signed?sig=1"))) as api:
            found, body = get(api, storage, credential=secrets, headers={"X-Version": "1", "Accept": "video/*"})
            assert body == b"bytes"
            assert set(api.requests[0].headers) >= SECRET_NAMES
            assert api.requests[0].headers["x-version"] == "1"
        assert "x-version" not in storage.requests[0].headers
        assert storage.requests[0].headers["accept"] == "video/*"
        assert not found.credentialed


def test_fr12_a_credential_that_was_dropped_stays_dropped_on_the_way_back() -> None:
    with (
        FaultServer(lambda line: redirect(first.url("/back"))(line)) as other,
        FaultServer(routes({"/go": redirect(other.url("/x")), "/back": answer(b"ok")})) as first,
    ):
        get(first, other, path="/go", credential=KEY)
        assert ["authorization" in request.headers for request in first.requests] == [True, False]


def test_a_credential_is_kept_on_the_same_origin() -> None:
    with FaultServer(routes({"/a": redirect("/b"), "/b": answer(b"ok")})) as server:
        found, _ = get(server, path="/a", credential=KEY)
        assert "authorization" in server.requests[1].headers
        assert found.credentialed


def test_fr14_a_loop_is_refused() -> None:
    with FaultServer(routes({"/a": redirect("/b"), "/b": redirect("/a")})) as server:
        failure = failing(server, path="/a")
        assert (failure.reason, failure.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "loop")
        assert server.connections == 2


def test_fr14_a_chain_of_eleven_is_refused_and_one_of_five_is_followed() -> None:
    def chain(line: Line) -> None:
        left = int(line.request.target.strip("/"))
        (redirect(f"/{left - 1}") if left else answer(b"end"))(line)

    with FaultServer(chain) as server:
        assert get(server, path="/5")[1] == b"end"
        failure = failing(server, path="/11")
        assert (failure.reason, failure.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "too_many")
        assert server.connections == 6 + 6


@pytest.mark.parametrize(
    ("location", "reason", "refused"),
    [
        ("https://user:{0}@h.test/", Reason.REDIRECT_REFUSED, "userinfo"),
        ("file:///etc/{0}", Reason.REDIRECT_REFUSED, "scheme"),
        ("ftp://h.test/{0}", Reason.REDIRECT_REFUSED, "scheme"),
        ("http://h.test/a b{0}", Reason.REDIRECT_REFUSED, "characters"),
        ("http://h.test\\@{0}.test/", Reason.REDIRECT_REFUSED, "characters"),
        ("http://169.254.169.254/{0}", Reason.BLOCKED_ADDRESS, "address"),
        ("http://[::ffff:169.254.169.254]/{0}", Reason.BLOCKED_ADDRESS, "address"),
        ("http://2130706433/{0}", Reason.BLOCKED_ADDRESS, "host_form"),
        ("http://metadata.google.internal/{0}", Reason.BLOCKED_ADDRESS, "name"),
        ("//localhost/{0}", Reason.BLOCKED_ADDRESS, "name"),
        ("http://h.test:6379/{0}", Reason.BLOCKED_ADDRESS, "port"),
    ],
)
def test_case_94_a_redirect_is_checked_as_the_first_url_is(location: str, reason: Reason, refused: str) -> None:
    with FaultServer(redirect(location.format(CANARY))) as server:
        failure = failing(server)
        assert (failure.reason, failure.evidence["refused"]) == (reason, refused)
        assert server.connections == 1


def test_case_94_the_third_hop_is_checked_too() -> None:
    hops = {"/1": redirect("/2"), "/2": redirect("/3"), "/3": redirect("http://169.254.169.254/latest/")}
    with FaultServer(routes(hops)) as server:
        failure = failing(server, path="/1")
        assert failure.reason is Reason.BLOCKED_ADDRESS
        seen = failure.evidence["hops"]
        assert isinstance(seen, list)
        assert [hop["status"] for hop in seen] == [302, 302, 302, None]


@pytest.mark.parametrize("script", [answer(status=302), raw(head(302, "Location: /a", "Location: /b"))])
def test_fr14_a_redirect_without_one_location_is_refused(script: object) -> None:
    with FaultServer(script) as server:  # type: ignore[arg-type]
        failure = failing(server)
        assert (failure.reason, failure.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "location")


# --- the guard at the socket (FR-16)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "localhost", "localhost."])
def test_fr16_nothing_connects_to_our_own_machine_by_any_name(host: str) -> None:
    with FaultServer(answer(b"secret")) as server:
        with pytest.raises(Failure) as failure, fetch(f"http://{host}:{server.port}{LINK}", Policy(http=True)):
            pass
        assert failure.value.reason is Reason.BLOCKED_ADDRESS
        check_silent(failure.value)
        assert server.connections == 0


def test_a_host_that_is_not_listed_is_not_reached() -> None:
    with FaultServer(answer()) as server:
        with pytest.raises(Failure) as failure, fetch(server.url(LINK), policy(server, hosts=("media.test",))):
            pass
        assert failure.value.reason is Reason.HOST_NOT_LISTED
        assert server.connections == 0


# --- the body


def test_a_body_is_streamed_with_its_length_proven_and_unproven() -> None:
    body = bytes(range(256)) * 4000
    pieces = [body[start : start + 1000] for start in range(0, len(body), 1000)]
    with FaultServer(in_turn(answer(body), chunked(*pieces), closing(body), answer(body, status=403))) as server:
        found = [get(server) for _ in range(4)]
        assert [content for _, content in found] == [body] * 4
        assert [(a.framing, a.content_length) for a, _ in found] == [
            ("length", len(body)),
            ("chunked", None),
            ("close", None),
            ("length", len(body)),
        ]
        assert found[3][0].status == 403


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (b"", Reason.TRUNCATED),
        (b"0", Reason.TRUNCATED),
        (b"5\r\nab", Reason.TRUNCATED),
        (b"5\r\nabcde", Reason.TRUNCATED),
        (b"5\r\nabcdeXX0\r\n\r\n", Reason.PROTOCOL_VIOLATION),
        (b"-5\r\nabcde\r\n0\r\n\r\n", Reason.PROTOCOL_VIOLATION),
        (b"+5\r\nabcde\r\n0\r\n\r\n", Reason.PROTOCOL_VIOLATION),
        (b"0x5\r\nabcde\r\n0\r\n\r\n", Reason.PROTOCOL_VIOLATION),
        (b"five\r\n", Reason.PROTOCOL_VIOLATION),
        (b"\r\n", Reason.PROTOCOL_VIOLATION),
        (b"5;" + b"x" * 5000 + b"\r\nabcde\r\n0\r\n\r\n", Reason.PROTOCOL_VIOLATION),
        (b"ffffffffffffffff\r\n", Reason.PROTOCOL_VIOLATION),
        (b"0\r\n" + b"X: y\r\n" * 100, Reason.PROTOCOL_VIOLATION),
        (b"0\r\n\r\nmore", Reason.PROTOCOL_VIOLATION),
    ],
)
def test_fr20_a_chunked_body_must_end_as_it_should(last: bytes, reason: Reason) -> None:
    with FaultServer(chunked(b"abc", last=last)) as server:
        assert failing(server).reason is reason


@pytest.mark.parametrize(
    "last", [b"0\r\n\r\n", b"000\r\nX: y\r\n\r\n", b"0;a=b\r\n\r\n", b"0\r\n", b"5 \r\nabcde\r\n0\r\n\r\n"]
)
def test_a_chunked_body_may_end_in_every_way_that_is_allowed(last: bytes) -> None:
    with FaultServer(chunked(b"abc", last=last)) as server:
        assert get(server)[1].startswith(b"abc")


def test_more_bytes_than_announced_are_a_protocol_violation_but_a_line_end_is_not() -> None:
    with FaultServer(in_turn(answer(b"abcdef", length=3), answer(b"abc\r\n", length=3))) as server:
        assert failing(server).evidence["violation"] == "surplus"
        assert get(server)[1] == b"abc"


# --- time


def test_fr29_a_head_that_drips_ends_at_the_limit() -> None:
    began = time.monotonic()
    with FaultServer(lambda line: line.drip(head(200, "X: " + "y" * 500), every=0.1)) as server:
        failure = failing(server)
        assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "head")
    assert time.monotonic() - began < 2.0


def test_fr29_silence_after_the_request_and_in_the_body_is_stalled() -> None:
    def half(line: Line) -> None:
        line.send(head(200, "Content-Length: 100"), b"x" * 99)
        line.hold()

    with FaultServer(in_turn(lambda line: line.hold(), half)) as server:
        assert failing(server).evidence["phase"] == "head"
        failure = failing(server)
        assert (failure.reason, failure.evidence["phase"]) == (Reason.STALLED, "body")


def test_fr29_a_body_that_drips_ends_at_the_deadline_of_the_call() -> None:
    def drips(line: Line) -> None:
        line.send(head(200, "Content-Length: 1000"))
        line.drip(b"x" * 1000, every=0.1)

    began = time.monotonic()
    with FaultServer(drips) as server:
        assert failing(server, deadline=began + 1.0).reason is Reason.STALLED
    assert time.monotonic() - began < 2.0


def test_a_deadline_in_the_past_makes_no_connection() -> None:
    with FaultServer(answer()) as server:
        assert failing(server, deadline=time.monotonic() - 1.0).reason is Reason.STALLED
        assert server.connections == 0


def test_the_wish_to_stop_is_heard_while_waiting() -> None:
    stop = Event()
    with FaultServer(lambda line: line.hold()) as server:
        timer = Timer(0.2, stop.set)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Stopping), fetch(server.url(LINK), policy(server, idle_seconds=30.0), stopping=stop.is_set):
            pass
        timer.join()
    assert time.monotonic() - began < 2.0


# --- a source that is not there


def test_a_port_where_nobody_listens_is_an_unavailable_source() -> None:
    with FaultServer(answer()) as server:
        pass
    failure = failing(server)
    assert (failure.reason, failure.evidence["phase"]) == (Reason.SOURCE_UNAVAILABLE, "connect")


@pytest.mark.parametrize("script", [lambda line: None, lambda line: line.reset(), raw(b"HTTP/1.1 20")])
def test_a_source_that_hangs_up_before_it_answers_is_unavailable(script: object) -> None:
    with FaultServer(script) as server:  # type: ignore[arg-type]
        assert failing(server).reason is Reason.SOURCE_UNAVAILABLE


def test_a_server_of_another_protocol_is_a_protocol_violation() -> None:
    with FaultServer(raw(b"220 mail.test ESMTP\r\n"), greets=True) as server:
        assert failing(server).reason is Reason.PROTOCOL_VIOLATION


@pytest.mark.parametrize(
    ("date", "offset"), [("Sun, 01 Mar 2026 12:00:00 GMT", True), ("yesterday", False), ("", False)]
)
def test_the_clock_of_the_source_is_measured_by_its_date(date: str, offset: bool) -> None:
    with FaultServer(answer(b"", f"Date: {date}")) as server:
        assert (get(server)[0].clock_offset is not None) is offset


@pytest.mark.parametrize(("age", "off"), [("3600", 0), ("0", -3600), ("many", -3600), ("-5", -3600), ("9" * 30, -3600)])
def test_the_age_of_a_cached_answer_is_not_taken_for_a_clock_that_is_behind(age: str, off: int) -> None:
    date = format_datetime(datetime.now(UTC) - timedelta(hours=1), usegmt=True)
    with FaultServer(answer(b"", f"Date: {date}", f"Age: {age}")) as server:
        assert get(server)[0].clock_offset == pytest.approx(off, abs=5)
