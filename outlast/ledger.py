"""The ledger of processors: for one asset and one version of a processor there is one run at a time, and one result."""

import os
import socket
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from outlast.asset import Asset
from outlast.lease import Lease
from outlast.outcome import Finished, Outcome, RunningElsewhere
from outlast.result import Place, Result
from outlast.run import Run
from outlast.surroundings import LedgerVariables, store_of_environment
from outlast.trouble import told
from shared.errors import LeaseLost, UsageError
from shared.messages import MAX_NAME_BYTES
from shared.settings import secret_from

if TYPE_CHECKING:  # needs packages that a producer does not have
    from collections.abc import Mapping

    from shared.objects import Store

LEASE_SECONDS = 30.0
MOST_TRIES = 5
"""Runs that may end with an error of their own, or vanish, before the processing has failed."""
ROUNDS = 5
"""Looks at a row that others change at the same moment."""


class UnknownAsset(LookupError):  # noqa: N818 (an answer about the asset)
    """The database has no complete task with this asset: the message is forged, or about another database."""


class ProcessingLedger:
    """The ledger over the database of Outlast, as the role `outlast_processor`; thread-safe, a context manager."""

    def __init__(
        self,
        database_url: str,
        *,
        store: "Store",
        password: str = "",
        output_bucket: str = "outlast-output",
        lease_seconds: float = LEASE_SECONDS,
        most_tries: int = MOST_TRIES,
    ) -> None:
        """Connects when it is first used; results go to `output_bucket` of `store`."""
        from shared.db import Database

        self.store = store
        self._database = Database(database_url, password=password, connections=4, name="outlast-processor")
        self._bucket, self._lease_seconds, self._most_tries = output_bucket, lease_seconds, most_tries
        self._worker = f"{socket.gethostname()}:{os.getpid()}"

    @classmethod
    def from_environment(cls, *, most_tries: int = MOST_TRIES) -> Self:
        """A ledger at OUTLAST_DATABASE_URL and OUTLAST_S3_*; docs/processors.md lists the variables.

        Raises UsageError naming each variable that is missing or wrong.
        """
        variables = LedgerVariables.read()
        return cls(
            variables.database_url.get_secret_value(),
            password=secret_from(variables.database_password_file),
            store=store_of_environment(),
            output_bucket=variables.output_bucket,
            lease_seconds=variables.lease_seconds,
            most_tries=most_tries,
        )

    def begin(
        self, asset: Asset, processor_version: str, *, extension: str = "bin"
    ) -> Run | RunningElsewhere | Finished:
        """Ask to work on an asset: a Run to use in a `with` block, or who has it, or what became of it.

        `processor_version` is a name that you change when the result would be another, `extension` that of the
        result's key. A result that an earlier run put without recording it is adopted and told as Finished. After
        `most_tries` runs without an end it is Finished as failed. Raises Unavailable, UnknownAsset and UsageError.
        """
        key = _key(asset, processor_version)
        place = Place(self.store, self._bucket, asset, processor_version, extension)
        for _ in range(ROUNDS):
            if run := self._take(place, key):
                try:
                    return run.adopt() or run
                except LeaseLost:
                    continue  # what was found took longer to read than the lease lives
            with told():
                row = self._database.one("processing", **key)
            if row is None:
                raise UnknownAsset(f"no complete task {asset.task_id} with the SHA-256 {asset.sha256}")
            if row["finished_at"]:
                return _finished(row)
            if row["is_held"]:
                return _elsewhere(row["held_seconds"], row["lease_worker"])
            with told():
                self._database.run("processing_give_up", **key, most_tries=self._most_tries)
        return _elsewhere(1.0, "others")

    def close(self) -> None:
        """Close the connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, place: Place, key: dict[str, Any]) -> Run | None:
        lease = {"lease_id": uuid4(), "lease_seconds": self._lease_seconds, "most_tries": self._most_tries}
        with told():
            row = self._database.one("processing_begin", **key, **lease, worker=self._worker)
        if row is None:
            return None
        token = {**key, "lease_id": lease["lease_id"], "epoch": row["epoch"]}
        return Run(Lease(self._database, token, self._lease_seconds), place, row["tries"])


def _key(asset: Asset, processor_version: str) -> dict[str, Any]:
    fits = 0 < len(processor_version.encode()) <= MAX_NAME_BYTES and processor_version.isprintable()
    if not fits:
        raise UsageError(f"A processor version is 1 to {MAX_NAME_BYTES} bytes of printable text, for example poster/1.")
    return {
        "task_id": asset.task_id,
        "version_id": asset.version_id or "",
        "sha256": asset.sha256,
        "processor_version": processor_version,
    }


def _finished(row: "Mapping[str, Any]") -> Finished:
    names = ("bucket", "key", "version", "size", "sha256", "type")
    result = Result(*(row[f"result_{name}"] for name in names)) if row["result_key"] else None
    return Finished(Outcome(row["state"]), result, row["reason"], row["detail"])


def _elsewhere(seconds: float, worker: str) -> RunningElsewhere:
    return RunningElsewhere(datetime.now(UTC) + timedelta(seconds=seconds), seconds, worker)
