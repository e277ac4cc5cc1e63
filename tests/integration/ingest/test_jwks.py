"""Public keys over real sockets: when they are fetched, what a rotation and an outage do, which answers are none."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Event

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm, RSAAlgorithm

from services.ingest.webhooks import Jwks, Proof, Unproven, Why
from services.ingest.webhooks import jwks as module
from services.ingest.webhooks.jwks import FRESH_SECONDS, JWKS_BYTES, KEPT_SECONDS, PAUSE_SECONDS, RETRY_SECONDS
from services.ingest.webhooks.proof import prove
from services.ingest.webhooks.public_keys import PublicKey
from services.ingest.webhooks.request import Request
from shared.egress import Policy
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.answers import answer, closing, head, in_turn, raw, redirect
from tests.faults.canary import LINK, check_silent
from tests.faults.ears import nothing_is_logged
from tests.faults.server import FaultServer, Line, Script
from tests.unit.ingest.webhooks.senders import ADDRESS, ATLAS, BODY, FAL, GEMINI, NOW, Sender, ed25519_keys, rsa_keys

__all__ = ["nothing_is_logged"]


class Clock:
    """A steady clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class Provider:
    """What a provider publishes now, and how it answers."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.script: Script | None = None

    def __call__(self, line: Line) -> None:
        (self.script or answer(published(*self.names)))(line)


@cache
def signing(name: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.generate()


def public(name: str) -> PublicKey:
    return signing(name).public_key()


def published(*names: str) -> bytes:
    keys = [{**OKPAlgorithm.to_jwk(signing(name).public_key(), as_dict=True), "kid": name} for name in names]
    return json.dumps({"keys": keys}).encode()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def server(provider: Provider) -> Iterator[FaultServer]:
    with FaultServer(provider) as running:
        yield running


@pytest.fixture
def jwks(server: FaultServer, clock: Clock) -> Jwks:
    return Jwks(policy(server), clock)


def policy(server: FaultServer) -> Policy:
    return Policy(allow=frozenset({server.pair}), http=True, connect_seconds=2.0, idle_seconds=0.5)


@pytest.fixture
def find(server: FaultServer, jwks: Jwks) -> Callable[[str | None], list[PublicKey]]:
    """Every candidate for a key id, as if none of them fitted."""
    return lambda key_id: list(jwks.candidates(server.url(LINK), key_id))


Find = Callable[[str | None], list[PublicKey]]


def failing(find: Find, key_id: str | None = "a") -> Failure:
    with pytest.raises(Failure) as failure:
        find(key_id)
    check_silent(failure.value)
    return failure.value


def test_a_set_is_fetched_once_for_many_webhooks(server: FaultServer, provider: Provider, find: Find) -> None:
    provider.names = ["a", "b"]
    for _ in range(20):
        assert find("a") == [public("a")]
        assert find("b") == [public("b")]
    assert server.connections == 1


def test_no_address_is_asked_before_a_webhook_needs_it(server: FaultServer, jwks: Jwks) -> None:
    jwks.candidates(server.url(LINK), "a")
    assert server.connections == 0


def test_without_an_id_every_key_is_a_candidate(server: FaultServer, provider: Provider, find: Find) -> None:
    provider.names = ["a", "b"]
    assert find(None) == [public("a"), public("b")]


def test_for_an_unknown_id_the_set_is_fetched_again_at_most_once_a_minute(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.names = ["a"]
    assert find("a") == [public("a")]
    for _ in range(20):
        assert find("b") == []
    clock.seconds += PAUSE_SECONDS - 1
    assert find("b") == []
    assert server.connections == 1
    clock.seconds += 1
    for _ in range(20):
        assert find("b") == []
    assert server.connections == 2


def test_after_a_rotation_the_new_key_is_found_and_the_old_one_is_none(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.names = ["a"]
    assert find("a") == [public("a")]
    provider.names = ["b"]
    clock.seconds += PAUSE_SECONDS
    assert find("b") == [public("b")]
    assert find("a") == []
    assert server.connections == 2


def test_a_known_id_has_nothing_fetched_again(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    """Whoever forges signatures makes us ask nobody."""
    provider.names = ["a"]
    find("a")
    clock.seconds += PAUSE_SECONDS
    for _ in range(20):
        assert find("a") == [public("a")]
    assert server.connections == 1


def test_a_key_that_was_withdrawn_is_believed_for_an_hour_at_most(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.names = ["a", "b"]
    find("a")
    provider.names = ["b"]
    clock.seconds += FRESH_SECONDS - 1
    assert find("a") == [public("a")]
    clock.seconds += 1
    assert find("a") == []


def test_while_the_server_is_away_the_last_set_counts_for_a_day(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.names = ["a"]
    find("a")
    provider.script = answer(b"away", status=503)
    for _ in range(3):
        clock.seconds += FRESH_SECONDS
        assert find("a") == [public("a")]
    assert server.connections == 4
    clock.seconds += KEPT_SECONDS - 3 * FRESH_SECONDS - 1
    assert find("a") == [public("a")]
    clock.seconds += 1
    assert failing(find).reason is Reason.SOURCE_UNAVAILABLE
    provider.script = None
    clock.seconds += PAUSE_SECONDS
    assert find("a") == [public("a")]


def test_while_the_server_is_away_an_outdated_set_is_asked_for_once_a_minute(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.names = ["a"]
    find("a")
    provider.script = answer(b"away", status=503)
    clock.seconds += FRESH_SECONDS
    for _ in range(20):
        assert find("a") == [public("a")]
    clock.seconds += PAUSE_SECONDS - 1
    assert find("a") == [public("a")]
    assert server.connections == 2


def test_while_the_server_is_away_an_unknown_id_is_not_called_unknown(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.names = ["a"]
    find("a")
    provider.script = answer(b"away", status=503)
    clock.seconds += PAUSE_SECONDS
    for _ in range(5):
        assert failing(find, "b").evidence["jwks_status"] == 503
    assert find("a") == [public("a")]
    assert server.connections == 2


def test_without_any_keys_the_server_is_asked_again_after_five_seconds(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    provider.script = answer(b"away", status=500)
    for _ in range(5):
        assert failing(find).reason is Reason.SOURCE_UNAVAILABLE
    assert server.connections == 1
    provider.script, provider.names = None, ["a"]
    clock.seconds += RETRY_SECONDS
    assert find("a") == [public("a")]


def deep(line: Line) -> None:
    line.send(head(200), b"[" * (JWKS_BYTES - 1))


def endless(line: Line) -> None:
    line.send(head(200))
    line.endless(b" " * 65536)


def silent(line: Line) -> None:
    line.hold()


def slow(line: Line) -> None:
    line.send(head(200))
    line.drip(b" " * 1000, every=0.1)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (answer(b"gone", status=404), Reason.SOURCE_UNAVAILABLE),
        (answer(b"", status=204), Reason.SOURCE_UNAVAILABLE),
        (answer(published("b"), status=206), Reason.SOURCE_UNAVAILABLE),
        (answer(b"<html>"), Reason.SOURCE_UNAVAILABLE),
        (answer(b"\xff"), Reason.SOURCE_UNAVAILABLE),
        (answer(b'{"keys": []}'), Reason.SOURCE_UNAVAILABLE),
        (answer(b'{"keys": [{"kty": "oct", "k": "AAAA"}]}'), Reason.SOURCE_UNAVAILABLE),
        (deep, Reason.SOURCE_UNAVAILABLE),
        (closing(b" " * (JWKS_BYTES + 1)), Reason.TOO_LARGE),
        (endless, Reason.TOO_LARGE),
        (answer(published("a"), length=10_000), Reason.TRUNCATED),
        (raw(b"junk\r\n\r\n"), Reason.PROTOCOL_VIOLATION),
        (redirect("http://169.254.169.254/latest"), Reason.BLOCKED_ADDRESS),
        (redirect(LINK), Reason.REDIRECT_REFUSED),
        (silent, Reason.STALLED),
        (slow, Reason.STALLED),
    ],
)
def test_an_answer_that_is_no_set_leaves_the_last_one(
    server: FaultServer,
    provider: Provider,
    find: Find,
    clock: Clock,
    script: Script,
    reason: Reason,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "FETCH_SECONDS", 0.5)
    provider.names = ["a"]
    provider.script = in_turn(answer(published("a")), script)
    assert find("a") == [public("a")]
    clock.seconds += FRESH_SECONDS
    assert find("a") == [public("a")]
    assert failing(find, "b").reason is reason


def test_a_set_of_the_largest_size_is_read(server: FaultServer, provider: Provider, find: Find) -> None:
    provider.script = answer(published("a").ljust(JWKS_BYTES))
    assert find("a") == [public("a")]


def test_an_address_that_may_not_be_reached_is_a_failure(server: FaultServer, clock: Clock) -> None:
    for address, reason in [
        (server.url(LINK), Reason.BLOCKED_ADDRESS),
        ("https://127.0.0.1/jwks.json", Reason.BLOCKED_ADDRESS),
    ]:
        with pytest.raises(Failure) as failure:
            list(Jwks(Policy(), clock).candidates(address, "a"))
        assert failure.value.reason is reason
        check_silent(failure.value)
    assert server.connections == 0


def test_a_server_that_is_not_there_is_a_failure(clock: Clock) -> None:
    with FaultServer(answer()) as gone:
        address, allowed = gone.url(LINK), policy(gone)
    with pytest.raises(Failure) as failure:
        list(Jwks(allowed, clock).candidates(address, "a"))
    assert failure.value.reason is Reason.SOURCE_UNAVAILABLE
    check_silent(failure.value)


def test_sets_of_two_addresses_are_kept_apart(server: FaultServer, jwks: Jwks, provider: Provider) -> None:
    provider.script = in_turn(answer(published("a")), answer(published("b")))
    assert list(jwks.candidates(server.url("/one"), "a")) == [public("a")]
    assert list(jwks.candidates(server.url("/two"), "a")) == []
    assert list(jwks.candidates(server.url("/two"), "b")) == [public("b")]


def test_many_threads_without_keys_wait_for_one_fetch(server: FaultServer, provider: Provider, find: Find) -> None:
    asked, go_on = Event(), Event()

    def waits(line: Line) -> None:
        asked.set()
        assert go_on.wait(10)
        answer(published("a"))(line)

    provider.script = waits
    with ThreadPoolExecutor(16) as pool:
        found = [pool.submit(find, "a") for _ in range(16)]
        assert asked.wait(10)
        go_on.set()
        assert [each.result() for each in found] == [[public("a")]] * 16
    assert server.connections == 1


def test_many_threads_whose_one_fetch_fails_are_told_of_it_alike(
    server: FaultServer, provider: Provider, find: Find
) -> None:
    provider.script = answer(b"away", status=503)
    with ThreadPoolExecutor(16) as pool:
        assert {each.reason for each in pool.map(lambda _: failing(find), range(16))} == {Reason.SOURCE_UNAVAILABLE}
    assert server.connections == 1


def test_nobody_waits_for_another_while_the_server_is_away(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    asked, go_on = Event(), Event()

    def waits(line: Line) -> None:
        asked.set()
        assert go_on.wait(10)
        answer(published("a"))(line)

    provider.script = in_turn(answer(b"away", status=503), waits)
    failing(find)
    clock.seconds += RETRY_SECONDS
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(find, "a")
        assert asked.wait(10)
        assert failing(find).evidence["jwks_status"] == 503
        go_on.set()
        assert first.result() == [public("a")]
    assert find("a") == [public("a")]
    assert server.connections == 2


def test_nobody_who_has_a_key_waits_while_the_set_is_fetched_again(
    server: FaultServer, provider: Provider, find: Find, clock: Clock
) -> None:
    asked, go_on = Event(), Event()

    def waits(line: Line) -> None:
        asked.set()
        assert go_on.wait(10)
        answer(published("b"))(line)

    provider.script = in_turn(answer(published("a")), waits)
    find("a")
    clock.seconds += FRESH_SECONDS
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(find, "b")
        assert asked.wait(10)
        assert find("a") == [public("a")]
        go_on.set()
        assert first.result() == [public("b")]
    assert server.connections == 2


def proof_of(sender: Sender, server: FaultServer, jwks: Jwks, body: bytes = BODY, key: int = 0) -> Proof:
    webhook = sender.webhook.model_copy(update={"jwks": server.url(LINK)})
    return prove(webhook, Request(sender.headers(key=key), body), (), jwks, NOW, ADDRESS)


def sets_of(sender: Sender) -> tuple[bytes, bytes]:
    """What the sender publishes before and after its rotation."""
    if sender is GEMINI:
        jwk = [RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) for key in rsa_keys()]
        named = [{**each, "kid": f"rsa-{number}"} for number, each in enumerate(jwk, 1)]
    else:
        jwk = [OKPAlgorithm.to_jwk(key.public_key(), as_dict=True) for key in ed25519_keys()]
        named = [{**each, "kid": f"ed-{number}"} for number, each in enumerate(jwk, 1)]
    new, old = ({"keys": [each]} for each in named)
    return json.dumps(old).encode(), json.dumps(new).encode()


@pytest.mark.parametrize("sender", [FAL, ATLAS, GEMINI], ids=lambda sender: sender.name)
def test_fr45_a_webhook_under_a_new_key_is_proven_and_one_under_the_old_is_not(
    server: FaultServer, provider: Provider, jwks: Jwks, clock: Clock, sender: Sender
) -> None:
    before, after = sets_of(sender)
    provider.script = in_turn(answer(before), answer(after))
    assert proof_of(sender, server, jwks, key=1)
    clock.seconds += PAUSE_SECONDS
    assert proof_of(sender, server, jwks, key=0)
    with pytest.raises(Unproven) as unproven:
        proof_of(sender, server, jwks, key=1)
    assert unproven.value.why in (Why.NO_KEY, Why.BAD_SIGNATURE)
    assert server.connections == 2


@pytest.mark.parametrize("sender", [FAL, ATLAS], ids=lambda sender: sender.name)
def test_forged_webhooks_are_refused_and_make_us_ask_at_most_once_a_minute(
    server: FaultServer, provider: Provider, jwks: Jwks, clock: Clock, sender: Sender
) -> None:
    provider.script = answer(sets_of(sender)[1])
    for _ in range(20):
        with pytest.raises(Unproven) as unproven:
            proof_of(sender, server, jwks, b"forged")
        assert unproven.value.why is Why.BAD_SIGNATURE
    assert server.connections == 1


@pytest.mark.parametrize("sender", [FAL, ATLAS, GEMINI], ids=lambda sender: sender.name)
def test_without_keys_a_webhook_is_neither_proven_nor_refused(
    server: FaultServer, provider: Provider, jwks: Jwks, sender: Sender
) -> None:
    provider.script = answer(b"away", status=503)
    with pytest.raises(Failure) as failure:
        proof_of(sender, server, jwks)
    check_silent(failure.value)
    assert failure.value.reason is Reason.SOURCE_UNAVAILABLE
