"""Databases full of tasks, filled by a few large statements under the roles that may make such rows."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg

from deploy.local.environment import ROLES
from deploy.local.postgres import SUPERUSER, Postgres
from shared.db.migrations import bootstrap_database, migrate_database
from shared.lanes import Barred

LANES = [f"ready/{number}" for number in range(40)]
"""The tasks that are ready are spread over these."""
ACCOUNTS = [f"studio-{number}" for number in range(20)]
CROWD = "crowd"
"""The account that has many tasks in front of all others, in as many lanes as a provider with ten hosts."""
CROWD_LANES = LANES[:10]
FULL_LANE, CAPPED_LANE = "full/media.example", "capped/media.example"
BARRED = Barred(lanes=(FULL_LANE,), providers=("capped",))
"""What a claim passes over: a lane that is full, and a provider at its cap."""
FIRST, LAST = 600.0, 100_000.0
"""Least seconds to the end of links in front, and of all others; each is spread over 60,000 s from there on."""
READY, WAITING, CAPPED, CROWDED = "ready", "waiting", "capped", "crowded"

ADD_LANES = """
    INSERT INTO lanes (stage, lane) SELECT 'download', unnest(%(lanes)s::text[]) ON CONFLICT DO NOTHING
"""
ADD_TASKS = """
    INSERT INTO tasks (
        task_id, download_key, account, provider, provider_account, job_id, output_id, operation_id, attempt_id,
        state, source_lane, urgency, ready_at, url_expires_at, deadline)
    SELECT id, id::text, account, %(kind)s, 'default', id::text, '0', id::text, '1',
           'output_ready', lane, ends, statement_timestamp(), ends, ends
    FROM (SELECT gen_random_uuid() AS id,
                 (%(lanes)s::text[])[1 + floor(random() * cardinality(%(lanes)s::text[]))] AS lane,
                 (%(accounts)s::text[])[1 + floor(random() * cardinality(%(accounts)s::text[]))] AS account,
                 statement_timestamp() + make_interval(secs => %(soonest)s + random() * 60000) AS ends
          FROM generate_series(1, %(count)s)) made
"""
# As after a first transfer that failed: the next one is due in hours.
LEASE_WAITING = """
    UPDATE tasks SET state = 'downloading', epoch = 1, lease_id = gen_random_uuid(), lease_worker = 'bench',
                     leased_at = statement_timestamp(), wake_at = statement_timestamp()
    WHERE provider = %(kind)s
"""
RETRY_WAITING = """
    UPDATE tasks SET state = 'download_retry', tries = 1, lease_id = NULL, lease_worker = NULL, leased_at = NULL,
                     wake_at = statement_timestamp() + interval '5 hours' + random() * interval '5 hours'
    WHERE provider = %(kind)s
"""


@dataclass(frozen=True)
class Rows:
    """How many tasks are ready, wait for a time, and are in front of all others where nothing may be claimed.

    `crowded` ones are in front too, but of one account, and are added later.
    """

    ready: int
    waiting: int = 0
    capped: int = 0
    crowded: int = 0


class Filled:
    """One database of a server."""

    def __init__(self, postgres: Postgres, name: str) -> None:
        """Make it, with the schema of this release."""
        self._postgres, self._name = postgres, name
        passwords = {role: postgres.password(role) for role in ROLES.values() if role != SUPERUSER}
        bootstrap_database(postgres.url(SUPERUSER, "postgres"), name, passwords)
        migrate_database(self.url("owner"))

    def url(self, user: str) -> str:
        """The URL of a user of the stack, for example `downloader`."""
        return self._postgres.url(ROLES[user], self._name)

    def fill(self, rows: Rows) -> None:
        """Add lanes and tasks, and leave the database as after a quiet hour: vacuumed, analysed, written out."""
        with self._as("ingest") as connection:
            connection.execute(ADD_LANES, {"lanes": [*LANES, FULL_LANE, CAPPED_LANE]})
            _add(connection, READY, rows.ready, soonest=LAST)
            _add(connection, WAITING, rows.waiting, soonest=LAST)
            _add(connection, CAPPED, rows.capped, soonest=FIRST, lanes=[FULL_LANE, CAPPED_LANE])
        with self._as("downloader") as connection:
            connection.execute(LEASE_WAITING, {"kind": WAITING})
            connection.execute(RETRY_WAITING, {"kind": WAITING})
        self._settle()

    def add_ready(self, count: int) -> None:
        """Add so many tasks that are ready."""
        with self._as("ingest") as connection:
            _add(connection, READY, count, soonest=LAST)

    def add_crowd(self, count: int) -> None:
        """Add so many tasks of one account in front of all others, as after a flood that has passed."""
        with self._as("ingest") as connection:
            _add(connection, CROWDED, count, soonest=FIRST, lanes=CROWD_LANES, accounts=[CROWD])
        self._settle()

    def _settle(self) -> None:
        with self._as("admin") as connection:
            connection.execute("VACUUM ANALYZE")
            connection.execute("CHECKPOINT")

    @contextmanager
    def _as(self, user: str) -> Iterator[psycopg.Connection]:
        with psycopg.connect(self.url(user), autocommit=True) as connection:
            yield connection


def _add(
    connection: psycopg.Connection,
    kind: str,
    count: int,
    *,
    soonest: float,
    lanes: Sequence[str] = LANES,
    accounts: Sequence[str] = ACCOUNTS,
) -> None:
    values: Mapping[str, object] = {"lanes": list(lanes), "accounts": list(accounts)}
    connection.execute(ADD_TASKS, {**values, "kind": kind, "count": count, "soonest": soonest})
