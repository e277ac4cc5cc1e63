"""One pool of connections under one role, and the running of statements on it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import psycopg
import structlog
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from shared.db.statements import statement
from shared.errors import Failure, Unstorable
from shared.reasons import Reason

log = structlog.get_logger(__name__)

Row = Mapping[str, Any]
Steps = Sequence[tuple[str, Mapping[str, Any]]]
GLANCE_SECONDS = 0.7
"""Wait for a connection where somebody waits for an answer about health."""
REFUSED = (psycopg.DataError, psycopg.errors.ProgramLimitExceeded)
AWAY = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    # A schema or a right that is missing is mended from outside, as a server that is away is.
    psycopg.ProgrammingError,
    PoolTimeout,
    PoolClosed,
)
CONTENTION = (
    psycopg.errors.SerializationFailure,
    psycopg.errors.DeadlockDetected,
    # Two inserted the same key at once; the next run sees the other's row.
    psycopg.errors.UniqueViolation,
)


class Database:
    """Runs statements by name, each in its own short transaction.

    Every method raises Failure(Reason.DATABASE) while the server does not answer or lacks a table or a right,
    and Unstorable for values that it refuses. What the schema's constraints refuse comes through as it is.
    """

    def __init__(self, url: str, *, password: str = "", connections: int = 8, name: str = "outlast") -> None:
        options: dict[str, Any] = {
            "row_factory": dict_row,
            "autocommit": True,
            # A pooler in transaction mode keeps no prepared statement.
            "prepare_threshold": None,
            "connect_timeout": 5,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 20_000,
            "application_name": name,
        }
        if password:
            options["password"] = password
        self._pool: ConnectionPool[psycopg.Connection[DictRow]] = ConnectionPool(
            url,
            kwargs=options,
            min_size=1,
            max_size=connections,
            timeout=5.0,
            # A connection that died with the server must not be handed out again.
            check=ConnectionPool.check_connection,
            reconnect_timeout=30.0,
            open=True,
            name=name,
        )

    def run(self, name: str, **values: Any) -> list[Row]:
        """Run a statement and return its rows; none for a statement that returns nothing.

        The server commits it by itself: a worker that stops here leaves no lock behind.
        """
        return self._patiently([(name, values)])

    def one(self, name: str, **values: Any) -> Row | None:
        """Run a statement and return its first row, if there is one."""
        rows = self.run(name, **values)
        return rows[0] if rows else None

    def glance(self, name: str) -> Row | None:
        """Like `one`, for health and metrics: a database that is away is told within a second."""
        rows = self._patiently([(name, {})], GLANCE_SECONDS)
        return rows[0] if rows else None

    def run_all(self, steps: Steps) -> list[Row]:
        """Run statements in one transaction; return the rows of the last."""
        return self._patiently(steps)

    def _patiently(self, steps: Steps, timeout: float | None = None) -> list[Row]:
        """Run the steps, and again after a deadlock."""
        try:
            for attempt in Retrying(
                retry=retry_if_exception_type(CONTENTION),
                stop=stop_after_attempt(5),
                wait=wait_random_exponential(multiplier=0.05, max=1),
                reraise=True,
            ):
                with attempt:
                    return self._once(steps, timeout)
        except REFUSED as error:
            raise Unstorable(type(error).__name__) from None
        except AWAY as error:
            if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
                raise  # not the server's word: a statement of ours lacks a value
            log.warning("database_trouble", error=type(error).__name__)
            raise Failure(Reason.DATABASE, {"error": type(error).__name__}) from None
        raise AssertionError("a retried block either returns or raises")

    def _once(self, steps: Steps, timeout: float | None) -> list[Row]:
        with self._pool.connection(timeout) as connection, connection.cursor() as cursor:
            with _together(connection, steps):
                for name, values in steps:
                    cursor.execute(statement(name), {key: _adapted(value) for key, value in values.items()})
            return list(cursor.fetchall()) if cursor.description else []

    def resize(self, kept: int, most: int) -> None:
        """Keep so many connections open, and open at most so many.

        A crowd of callers at once finds the kept ones open; each further one waits for a server that may be far away.
        """
        self._pool.resize(kept, most)

    def check(self) -> None:
        """Ask the server for anything; raises Failure(Reason.DATABASE) if it does not answer."""
        self.run("schema_version")

    def close(self) -> None:
        """Close the pool and its connections."""
        self._pool.close()


def _together(connection: psycopg.Connection[DictRow], steps: Steps) -> AbstractContextManager[object]:
    """Several steps as one transaction, sent without waiting in between: a server far away is waited for once.

    What is sent in a pipeline up to its end is one transaction by itself (PostgreSQL, "libpq pipeline mode").
    """
    return connection.pipeline() if len(steps) > 1 else nullcontext()


def _adapted(value: Any) -> Any:
    return Jsonb(dict(value)) if isinstance(value, Mapping) else value
