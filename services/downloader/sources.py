"""Where a task's bytes can be had: its sealed sources, freshest first, else what its provider gives now."""

from collections.abc import Callable

import structlog

from services.downloader.clocks import Clocks, SourceClock
from services.downloader.decide import REFRESHES
from services.downloader.delays import margin
from services.downloader.endpoints import endpoint_of
from services.downloader.refreshing import Refresher
from services.downloader.source import Source
from shared.db import Database
from shared.db.clock import DatabaseClock
from shared.db.database import Row
from shared.egress import Policy
from shared.errors import Failure
from shared.expiry import POLICY, Confidence
from shared.links import place_of
from shared.providers import Provider, Registry
from shared.providers.entry import Content
from shared.providers.keys import Keys
from shared.reasons import Reason
from shared.tasks.claims import Claim
from shared.tasks.recorder import Recorder
from shared.vault import Unsealable, Vault

log = structlog.get_logger(__name__)

CERTAIN = frozenset({Confidence.STATED, Confidence.AT_MOST})
"""Confidences at which a link past its expiry is not worth a request."""


class Sources:
    """Opens the sources of claimed tasks, and refreshes them."""

    def __init__(
        self,
        database: Database,
        recorder: Recorder,
        vault: Vault,
        registry: Registry,
        policy: Callable[[Provider], Policy],
    ) -> None:
        self._database = database
        self._vault = vault
        self._registry = registry
        self._keys = Keys(registry.all())
        self._clocks = Clocks(DatabaseClock(database).now)
        self._refresher = Refresher(database, recorder, vault, registry, policy, self._keys, self._clocks)

    def open(self, claim: Claim) -> Source:
        """The freshest usable source of the task, else its provider's content endpoint, else a fresh link.

        Raises Failure: url_expired where no link is left and none can be had, keyring where one is left that
        no key opens, or what the refresh or the search for the key says.
        """
        provider = self._registry.find(claim.provider, claim.model)
        if provider.content:
            return self._stored(claim, 0.0) or self._endpoint(claim, provider, provider.content)
        if not self._refresher.is_possible(claim):
            if source := self._stored(claim, 0.0):
                return source
            raise self._nothing_left(claim)
        if source := self._stored(claim, 2 * margin(_life(claim))):
            return source
        try:
            return self._refresher.fresh(claim)
        except Failure as failure:
            # Where no fresh link can be had, one that is about to end is still a way.
            if source := self._stored(claim, 0.0):
                log.info("last_link", reason=str(failure.reason))
                return source
            raise

    def elsewhere(self, claim: Claim, spent: Source | None, *, by_refresh: bool) -> bool:
        """Whether another source, or a question to the provider if that would help, is left once `spent` is used up."""
        return self._gives_another(claim, spent, by_refresh=by_refresh) or any(
            (spent is None or row["source_id"] != spent.source_id) and self._is_usable(row)
            for row in self._database.run("sources", task_id=claim.task_id)
        )

    def clock_of(self, source: Source | None) -> SourceClock:
        """What time it is at a source; by the database's clock where that told none, or there is no source."""
        return self._clocks.of(place_of(source.url).host if source else "")

    def mark_ended(self, source: Source) -> None:
        """Remember that a source was seen to have ended, so that it is not tried first again; an endpoint never has."""
        if source.source_id is not None:
            self._database.run("expired_source", source_id=source.source_id)

    def _gives_another(self, claim: Claim, spent: Source | None, *, by_refresh: bool) -> bool:
        """Whether the provider has another way to the bytes."""
        if self._registry.find(claim.provider, claim.model).content is None:
            refreshed = spent is not None and spent.refreshed
            return by_refresh and self._refresher.is_possible(claim, 1 if refreshed else 0)
        if spent is None:
            return False
        # What an endpoint redirects to is made anew for each question, as a fresh link is.
        return spent.endpoint is None or (by_refresh and claim.tries < REFRESHES)

    def _endpoint(self, claim: Claim, provider: Provider, content: Content) -> Source:
        key = self._keys.of_account(provider, claim.provider_account, claim.ready_at)
        return endpoint_of(content, claim, key)

    def _stored(self, claim: Claim, spare: float) -> Source | None:
        """The freshest usable source; one that no key opens is passed over where another one is usable."""
        sealed: Failure | None = None
        for row in self._database.run("sources", task_id=claim.task_id):
            if not self._is_usable(row, spare):
                continue
            try:
                return self._opened(claim, row)
            except Failure as failure:
                if failure.reason is not Reason.KEYRING:
                    raise
                sealed = sealed or failure
        if sealed:
            raise sealed
        return None

    def _opened(self, claim: Claim, row: Row) -> Source:
        if row["object"] is not None:
            return Source(row["source_id"], object=row["object"])
        url = self._unsealed(claim, row)
        provider = self._registry.find(claim.provider, claim.model)
        return Source(
            row["source_id"],
            url,
            row["expires_at"],
            row["issued_at"],
            is_guess=row["confidence"] not in CERTAIN and row["expires_from"] != POLICY,
            deleted_at=row["expires_at"] if row["expires_from"] == POLICY else None,
            key=self._keys.for_link(provider, claim.provider_account, claim.ready_at, url),
        )

    def _is_usable(self, row: Row, spare: float = 0.0) -> bool:
        """Whether a source is worth a request: not seen to have ended, nor surely ended within `spare` seconds."""
        if row["observed_expired_at"] is not None:
            return False
        if row["expires_at"] is None or row["confidence"] not in CERTAIN:
            return True
        return bool((row["expires_at"] - self._clocks.of(row["host"]).earliest()).total_seconds() > spare)

    def _unsealed(self, claim: Claim, row: Row) -> str:
        try:
            return self._vault.unseal(claim.task_id, row["source_id"], row["sealed"])
        except Unsealable as error:
            raise Failure(Reason.KEYRING, {"detail": str(error)}) from None

    def _nothing_left(self, claim: Claim) -> Failure:
        is_spent = claim.refreshes >= REFRESHES
        if not is_spent and not self._database.run("sources", task_id=claim.task_id):
            return Failure(Reason.NO_OUTPUT, {"refresh": "no way, and the event had no link"})
        evidence: dict[str, object] = {"refresh": "spent" if is_spent else "no way"}
        # Nobody failed: it had ended before it was its turn.
        return Failure(Reason.URL_EXPIRED, evidence | ({} if claim.tries else {"asked": "never"}))


def _life(claim: Claim) -> float:
    """Seconds from the output being ready to the end of its link; 0 where that is unknown."""
    return (claim.url_expires_at - claim.ready_at).total_seconds() if claim.url_expires_at else 0.0
