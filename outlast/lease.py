"""The lease of one run in the ledger: renewed by a thread, checked before every act, given back at the end."""

from collections.abc import Mapping
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from uuid import UUID

import structlog

from outlast.trouble import Unavailable, told
from shared.errors import Failure, LeaseLost

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db import Database

log = structlog.get_logger(__name__)

RENEWALS = 3
"""Renewals in the life of a lease."""


class Lease:
    """A row's token (`lease_id` and `epoch` beside the key), under which alone its row moves."""

    def __init__(self, database: "Database", token: Mapping[str, Any], seconds: float) -> None:
        self.lease_id: UUID = token["lease_id"]
        self.epoch: int = token["epoch"]
        self._database, self._token, self._seconds = database, token, seconds
        self._lost, self._over = Event(), Event()
        self._renewing = Thread(target=self._keep, name=f"lease-{token['task_id']}", daemon=True)

    @property
    def is_over(self) -> bool:
        """Whether it was ended or given back."""
        return self._over.is_set()

    def keep(self) -> None:
        """Renew it from now on, until it is over."""
        self._renewing.start()

    def leave(self) -> None:
        """Stop renewing it."""
        self._over.set()
        self._renewing.join()

    def check(self) -> None:
        """Raises LeaseLost once it is known to be somebody else's."""
        if self._lost.is_set():
            raise LeaseLost(f"another run has taken over {self._token['task_id']}")

    def renew(self) -> None:
        """Lengthen it. Raises as `act` does."""
        self.act("processing_renew", lease_seconds=self._seconds)

    def act(self, name: str, **values: Any) -> None:
        """Run an act under the token. Raises LeaseLost, and Unavailable while the database is away."""
        self.check()
        with told():
            row = self._database.one(name, **self._token, **values)
        if row is None:
            self._lost.set()
            self.check()

    def end(self, **values: Any) -> None:
        """Record the end of the run. Raises as `act` does."""
        self.act("processing_finish", **values)
        self._over.set()

    def release(self, reason: str | None, detail: str | None, *, tries: int) -> None:
        """Give it back without an end, charged with `tries`; never raises, as it lapses anyway."""
        self._over.set()
        try:
            self._database.run("processing_release", **self._token, reason=reason, detail=detail, tries=tries)
        except Failure:
            log.warning("release_waits_for_the_lapse", task_id=str(self._token["task_id"]))

    def _keep(self) -> None:
        while not self._over.wait(self._seconds / RENEWALS):
            try:
                self.renew()
            except Unavailable:
                log.warning("renewal_waits_for_the_database", task_id=str(self._token["task_id"]))
            except LeaseLost:
                return
