"""Links that lie on the provider's own API: the key goes to that origin, and nowhere else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.egress import Policy
from shared.reasons import Reason
from tests.faults.answers import answer, redirect
from tests.faults.canary import CANARY
from tests.faults.certificates import Authority
from tests.faults.server import FaultServer, Line, Script
from tests.integration.downloader.acts import VIDEO, Act

KEY = {"x-goog-api-key": f"{CANARY}-key"}
NAMES = {"authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
REFUSAL = b"<Error><Code>InvalidArgument</Code><Message>Only one auth mechanism allowed</Message></Error>"


def storage(line: Line) -> None:
    """Signed links, as S3 has them: one kind of credential, not two."""
    is_signed_twice = "sig=" in line.request.target and NAMES & set(line.request.headers)
    (answer(REFUSAL, status=400) if is_signed_twice else answer(VIDEO))(line)


def api(then: Script) -> Script:
    """A content endpoint, which answers no one without the key."""

    def lead(line: Line) -> None:
        is_known = line.request.headers.get("x-goog-api-key") == KEY["x-goog-api-key"]
        (then if is_known else answer(b'{"error": {"status": "PERMISSION_DENIED"}}', status=403))(line)

    return lead


def test_the_storage_of_these_tests_refuses_two_kinds_of_credential() -> None:
    assert Act(storage, credential=KEY).failed().reason is Reason.URL_REFUSED
    Act(storage).received()


def test_fr13_without_the_key_the_endpoint_refuses_and_with_it_gives_the_bytes() -> None:
    assert Act(api(answer(VIDEO))).failed().reason is Reason.URL_REFUSED
    _, sink = Act(api(answer(VIDEO)), credential=KEY).received()
    assert bytes(sink.data) == VIDEO


@pytest.fixture(params=["other port", "other host"])
def elsewhere(request: pytest.FixtureRequest) -> Iterator[FaultServer]:
    with FaultServer(storage, host="127.0.0.2" if request.param == "other host" else "127.0.0.1") as server:
        yield server


def test_fr12_no_key_reaches_a_second_origin(elsewhere: FaultServer) -> None:
    act = Act(api(redirect(elsewhere.url("/bucket/v.mp4?sig=1"))), credential=KEY, others=(elsewhere,))
    _, sink = act.received()
    assert bytes(sink.data) == VIDEO
    (seen,) = elsewhere.requests
    assert not NAMES & set(seen.headers)
    assert CANARY.encode() not in seen.head


def test_fr12_a_redirect_from_https_to_http_is_refused_and_nothing_is_sent_there(
    tmp_path: Path, elsewhere: FaultServer
) -> None:
    authority, asked = Authority(tmp_path), []

    def lead(line: Line) -> None:
        asked.append(line.request.headers.get("x-goog-api-key"))
        redirect(elsewhere.url("/bucket/v.mp4?sig=1"))(line)

    policy = Policy(http=True, ca_file=str(authority.file), connect_seconds=2.0, idle_seconds=2.0)
    tls = authority.server("127.0.0.1")
    failure = Act(lead, credential=KEY, policy=policy, tls=tls, others=(elsewhere,)).failed()
    assert asked == [KEY["x-goog-api-key"]]
    assert (failure.reason, failure.evidence["refused"]) == (Reason.REDIRECT_REFUSED, "downgrade")
    assert elsewhere.connections == 0


@pytest.mark.parametrize("status", [401, 403])
def test_fr13_a_refusal_by_the_origin_that_got_the_key_is_about_the_key(status: int) -> None:
    assert Act(answer(b"no", status=status), credential=KEY).failed().reason is Reason.CREDENTIAL_REFUSED


def test_fr13_a_refusal_by_another_origin_is_about_its_own_link(elsewhere: FaultServer) -> None:
    with FaultServer(answer(b"no", status=403)) as other:
        act = Act(api(redirect(other.url("/v.mp4?sig=1"))), credential=KEY, others=(other,))
        assert act.failed().reason is Reason.URL_REFUSED


@pytest.mark.parametrize(
    ("is_newer", "credential", "reason"),
    [
        (True, KEY, Reason.CREDENTIAL_REFUSED),
        (False, KEY, Reason.SOURCE_GONE),
        (True, None, Reason.SOURCE_GONE),
    ],
)
def test_fr76_an_output_unknown_to_a_key_that_changed_meanwhile_is_not_called_lost(
    is_newer: bool, credential: dict[str, str] | None, reason: Reason
) -> None:
    act = Act(answer(b"no such file", status=404), credential=credential, credential_is_newer=is_newer)
    assert act.failed().reason is reason
