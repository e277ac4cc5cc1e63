"""Stored assets under the present checks: read back by version, compared with their digest, examined again."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from outlast.custody.assets import AssetsWanted, StoredAsset, pages
from outlast.custody.variables import ProbeVariables
from outlast.reading import DigestMismatch, ObjectMissing, SizeMismatch, copy_verified
from services.verifier.checks.declared import with_declared
from services.verifier.checks.expectations import expected_mismatch
from services.verifier.examine import ProbeAway, Prober
from services.verifier.supervise import start_probe
from shared.db import Database
from shared.errors import Failure, UsageError
from shared.messages import Expected, Kind
from shared.objects import Store
from shared.reasons import Reason

CHILDREN = 2
"""Assets that are examined at once."""


@dataclass(frozen=True)
class Outcome:
    """What was found: `same`, `refused` with its reason, `corrupt` (other bytes), or `lost` (no such object)."""

    verdict: str
    reason: Reason | None = None
    detail: str = ""


@dataclass(frozen=True)
class Reverifier:
    """Looks at one asset after the other; safe to use from several threads."""

    store: Store
    prober: Prober
    folder: Path

    def check(self, asset: StoredAsset) -> Outcome:
        """Read an asset and examine it as its kind. Raises Unavailable, UsageError without room, and
        Failure(Reason.PROBE) without a probe.
        """
        copy = self.folder / str(asset.task_id)
        try:
            with copy.open("w+b") as file:
                copy_verified(asset, file, max_bytes=asset.size, store=self.store)
            copy.chmod(0o644)
            return self._examine(asset, copy.name)
        except ObjectMissing:
            return Outcome("lost", detail="the store has no such object or version")
        except (SizeMismatch, DigestMismatch) as error:
            return Outcome("corrupt", detail=error.reason)
        except OSError as error:
            raise UsageError(f"Cannot keep a copy in {self.folder}: {error.strerror}. Set OUTLAST_WORK_DIR.") from None
        finally:
            copy.unlink(missing_ok=True)

    def _examine(self, asset: StoredAsset, name: str) -> Outcome:
        try:
            verdict = self.prober.examine(name, Kind(asset.kind))
        except ProbeAway as error:
            raise Failure(Reason.PROBE, {"detail": str(error)}) from None
        if verdict.facts is None:
            return Outcome("refused", verdict.reason, verdict.detail)
        facts = with_declared(verdict.facts, asset.declared_type)
        mismatch = expected_mismatch(facts, Expected.model_validate(asset.expected))
        return Outcome("refused", Reason.EXPECTATION_MISMATCH, mismatch) if mismatch else Outcome("same")


@contextmanager
def reverifier(store: Store, limits: ProbeVariables) -> Iterator[Reverifier]:
    """One with a probe and a folder for copies of its own, as long as the block lasts.

    Raises UsageError with the probe's words if it does not start.
    """
    with (
        # The path of a socket must be short.
        TemporaryDirectory(prefix="outlast-") as home,
        TemporaryDirectory(prefix="outlast-", dir=limits.work_dir) as folder,
        (Path(home) / "log").open("w+b") as log,
    ):
        socket = Path(home) / "socket"
        try:
            probe = start_probe(
                socket,
                Path(folder),
                memory_bytes=limits.probe_memory_bytes,
                seconds=limits.probe_seconds,
                children=CHILDREN,
                log_format="text",
                accept_undecoded=limits.accept_undecoded,
                output=log.fileno(),
            )
        except UsageError as error:
            log.seek(0)
            raise UsageError(f"{error}\n{log.read().decode(errors='replace').strip()}") from None
        try:
            yield Reverifier(store, Prober(socket), Path(folder))
        finally:
            probe.stop()


def reverify(
    database: Database, engine: Reverifier, wanted: AssetsWanted, verifier_version: str, limit: int | None = None
) -> Iterator[tuple[StoredAsset, Outcome]]:
    """Look at each wanted asset, record what was found, and yield it; at most `limit`. No task is touched.

    What was recorded is not looked at again by the same release, so that a run goes on where another one ended.
    """
    assets = (asset for page in pages(database, wanted, verifier_version) for asset in page)
    chosen = islice(assets, limit)
    pool = ThreadPoolExecutor(CHILDREN, thread_name_prefix="reverify")
    try:
        while batch := list(islice(chosen, 4 * CHILDREN)):
            for asset, outcome in zip(batch, pool.map(engine.check, batch), strict=True):
                database.run(
                    "reverified",
                    task_id=asset.task_id,
                    verifier_version=verifier_version,
                    verdict=outcome.verdict,
                    reason=str(outcome.reason) if outcome.reason else None,
                    detail=outcome.detail,
                )
                yield asset, outcome
    finally:
        pool.shutdown(cancel_futures=True)
