"""Runs of processors, as the tests of the ledger begin and end them."""

from pathlib import Path
from typing import Any

import psycopg

from outlast import (
    Asset,
    Finished,
    ProcessingLedger,
    Run,
    RunningElsewhere,
)
from tests.integration.broker.polling import eventually
from tests.integration.processors.conftest import VERSION

POSTER = b"\xff\xd8 a poster"
LIMIT = 2**20
LAPSE_SECONDS = 45.0
"""Longer than a server that has just started lets leases live."""

Administrator = psycopg.Connection[tuple[Any, ...]]


def run_of(ledger: ProcessingLedger, asset: Asset, version: str = VERSION) -> Run:
    begun = ledger.begin(asset, version, extension="jpg")
    assert isinstance(begun, Run), begun
    return begun


def completed(ledger: ProcessingLedger, asset: Asset, body: bytes | Path = POSTER) -> Finished:
    with run_of(ledger, asset) as run:
        return run.complete(body, content_type="image/jpeg")


def lapsed(ledger: ProcessingLedger, asset: Asset) -> Run | Finished:
    """What begin answers once the lease of a run that vanished has lapsed."""
    answers: list[Run | Finished] = []

    def begins() -> bool:
        begun = ledger.begin(asset, VERSION, extension="jpg")
        if not isinstance(begun, RunningElsewhere):
            answers.append(begun)
        return bool(answers)

    eventually(begins, LAPSE_SECONDS)
    return answers[0]


def row(administrator: Administrator, columns: str) -> tuple[Any, ...]:
    (found,) = administrator.execute(f"SELECT {columns} FROM processing".encode()).fetchall()
    return found
