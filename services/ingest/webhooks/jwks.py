"""The public keys of providers, fetched when they are needed and kept for a while."""

from collections.abc import Callable, Iterator
from math import inf
from threading import Lock
from time import monotonic

import structlog

from services.ingest.webhooks.public_keys import KeySet, PublicKey, read_set
from shared.egress import Policy, fetch
from shared.errors import Failure
from shared.reasons import Reason

log = structlog.get_logger(__name__)

JWKS_BYTES = 256 * 1024
"""Largest set of keys that is read, in bytes."""
FRESH_SECONDS = 3600.0
"""Until a set is looked at again, so that a key that was withdrawn is not believed for long."""
KEPT_SECONDS = 24 * 3600.0
"""Longest use of a set that cannot be fetched again; fal.ai, for one, allows no longer (its webhook page)."""
PAUSE_SECONDS = 60.0
"""Least time between two fetches of a set, whoever asks for unknown keys."""
RETRY_SECONDS = 5.0
"""The same as long as there are no keys at all."""
FETCH_SECONDS = 3.0
"""Limit of one fetch: the sender of a webhook waits for it, and may allow 5 s."""


class Jwks:
    """The sets of keys at their addresses; safe in any thread, with one fetch per address in flight."""

    def __init__(self, policy: Policy, clock: Callable[[], float] = monotonic) -> None:
        """`policy` is for the addresses, which entries name and thus are few; `clock` is steady, in seconds."""
        self._policy, self._clock = policy, clock
        self._sets: dict[str, _Set] = {}

    def candidates(self, address: str, key_id: str | None) -> Iterator[PublicKey]:
        """As `PublicKeys` says; the set is fetched again for who asks on without an id, or with an unknown one."""
        held = self._sets.setdefault(address, _Set(address, self._policy, self._clock))
        keys = held.current()
        known = [key for name, key in keys if key_id in (None, name)]
        yield from known
        if key_id is None or not known:
            yield from (key for name, key in held.newer() if key_id in (None, name) and key not in known)


class _Set:
    """One set: what was read of it last, and when it may be fetched again."""

    def __init__(self, address: str, policy: Policy, clock: Callable[[], float]) -> None:
        self._address, self._policy, self._clock = address, policy, clock
        self._one_fetch = Lock()
        self._keys: KeySet = ()
        self._read_at = self._fetch_at = -inf
        self._failure: Failure | None = None

    def current(self) -> KeySet:
        """The keys, fetched again when they are an hour old. Raises Failure where there are none of the last day."""
        if self._age() >= KEPT_SECONDS:
            return self._fetched()
        if self._age() >= FRESH_SECONDS:
            self._fetch(wait=False)
        return self._keys

    def newer(self) -> KeySet:
        """The keys as they are published now. Raises Failure if that is not known."""
        return self._fetched()

    def _age(self) -> float:
        return self._clock() - self._read_at

    def _fetched(self) -> KeySet:
        self._fetch(wait=True)
        if failure := self._failure:
            # A new one each time, as many threads may raise it.
            raise Failure(failure.reason, failure.evidence)
        return self._keys

    def _fetch(self, *, wait: bool) -> None:
        """Fetch the set, unless that was just done; without `wait`, also unless somebody else is at it.

        While the server is away nobody waits for another, as that would hold up the webhooks of other providers.
        """
        if not self._one_fetch.acquire(blocking=wait and self._failure is None):
            return
        try:
            if self._clock() >= self._fetch_at:
                self._read()
        finally:
            self._one_fetch.release()

    def _read(self) -> None:
        try:
            self._keys = read_set(_body(self._address, self._policy))
            self._read_at, self._failure = self._clock(), None
        except ValueError:
            self._failure = Failure(Reason.SOURCE_UNAVAILABLE, {"jwks": "no set of public keys"})
        except Failure as failure:
            self._failure = failure
        if self._failure:
            log.warning("public_keys_unavailable", reason=self._failure.reason.value, **self._failure.evidence)
        self._fetch_at = self._clock() + (PAUSE_SECONDS if self._age() < KEPT_SECONDS else RETRY_SECONDS)


def _body(address: str, policy: Policy) -> bytes:
    body = bytearray()
    with fetch(address, policy, deadline=monotonic() + FETCH_SECONDS) as answer:
        if answer.status != 200:
            raise Failure(Reason.SOURCE_UNAVAILABLE, {"jwks_status": answer.status})
        for chunk in answer.stream():
            body += chunk
            if len(body) > JWKS_BYTES:
                raise Failure(Reason.TOO_LARGE, {"jwks": "the set of keys", "limit_bytes": JWKS_BYTES})
    return bytes(body)
