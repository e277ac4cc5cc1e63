"""Many tasks, read by key in short statements whose cost does not grow with the table."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from shared.db.database import Database
from shared.db.views import PublicTask

FIRST_WINDOW = 500
"""Tasks that the first statement of a page looks at; each further one looks at four times as many ..."""
WINDOW = 10_000
"""... and at no more than these."""
MOST_LOOKED_AT = 200_000
"""Tasks that one listing looks at before it stops and says how far it came."""
MOST_NAMED = 50
"""Tasks that one name may stand for."""

_FIRST, _LAST = UUID(int=0), UUID(int=2**128 - 1)
_EARLIEST, _LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_BEGINNING = re.compile(r"[0-9a-f]{8,32}")


@dataclass(frozen=True)
class Wanted:
    """Which tasks a person asks for; None asks for all. `since` is when Outlast first heard of them."""

    account: str | None = None
    state: str | None = None
    provider: str | None = None
    reason: str | None = None
    since: datetime | None = None

    def values(self) -> dict[str, Any]:
        """The values of the reads."""
        return {**asdict(self), "since": self.since or _EARLIEST}


@dataclass(frozen=True)
class Page:
    """Some tasks in their order; `end` is where the next page begins, None after the last one.

    `stopped_early` says that so many tasks were looked at that the page ended before it was full.
    """

    tasks: tuple[PublicTask, ...]
    end: UUID | None
    stopped_early: bool = False


class Listing:
    """Tasks of one wish: newest first, or with `urgent` those without bytes whose link ends first."""

    def __init__(self, database: Database, wanted: Wanted, *, urgent: bool = False, at_risk: bool = False) -> None:
        """`at_risk` asks for those alone whose time is nearly over, the most urgent first."""
        self._database = database
        self._wanted = wanted
        self._urgent = urgent or at_risk
        self._at_risk = at_risk

    def page(self, limit: int, after: UUID | None = None) -> Page:
        """At most `limit` tasks behind the task `after`. Raises KeyError where there is no such task."""
        key, found, looked_at, window = self._key(after), list[PublicTask](), 0, FIRST_WINDOW
        while key is not None and looked_at < MOST_LOOKED_AT:
            rows = self._look(key, window, limit - len(found))
            found += _tasks(rows)
            if len(found) == limit:
                return Page(tuple(found), found[-1].task_id)
            looked_at += rows[0]["looked_at"]
            key = (rows[0]["reached_at"], rows[0]["reached_id"]) if rows[0]["looked_at"] == window else None
            window = min(4 * window, WINDOW)
        return Page(tuple(found), key[1] if key else None, stopped_early=key is not None)

    def _key(self, after: UUID | None) -> tuple[datetime, UUID] | None:
        if after is None:
            return (_EARLIEST, _FIRST) if self._urgent else (_LATEST, _LAST)
        row = self._database.one("task_keys", task_id=after)
        if row is None:
            raise KeyError(after)
        return (row["urgency"] if self._urgent else row["accepted_at"], after)

    def _look(self, key: tuple[datetime, UUID], window: int, limit: int) -> list[Mapping[str, Any]]:
        values = {**self._wanted.values(), "window": window, "limit": limit}
        if self._urgent:
            return self._database.run(
                "tasks_urgent", **values, after_at=key[0], after_id=key[1], only_at_risk=self._at_risk
            )
        # One filter at most may bound the window, as it goes along one index.
        state = None if self._wanted.state == "complete" else self._wanted.state
        account = self._wanted.account if state is None else None
        return self._database.run(
            "tasks_newest", **values, before_at=key[0], before_id=key[1], window_state=state, window_account=account
        )


def _tasks(rows: list[Mapping[str, Any]]) -> Iterator[PublicTask]:
    """The tasks of a window; a window without any is one row without a task."""
    return (PublicTask.model_validate(row) for row in rows if row["task_id"] is not None)


def tasks_named(database: Database, name: str) -> list[PublicTask]:
    """The tasks that `name` may mean, newest first and at most `MOST_NAMED`.

    A task is named by its id, or the first eight letters of it or more; by its job; or by its operation.
    """
    lowest, highest = _ids(name)
    rows = database.run("tasks_named", wanted=name, lowest_id=lowest, highest_id=highest, limit=MOST_NAMED)
    return [PublicTask.model_validate(row) for row in rows]


def _ids(name: str) -> tuple[UUID | None, UUID | None]:
    """The lowest and the highest task id that begin as `name` does; none where no id can."""
    beginning = name.lower().replace("-", "")
    if not _BEGINNING.fullmatch(beginning):
        return None, None
    return UUID(beginning.ljust(32, "0")), UUID(beginning.ljust(32, "f"))
