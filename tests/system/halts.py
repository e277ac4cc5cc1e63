"""Services held exactly at a step to be killed there: an act before its commit, a request to the store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Lock

import psycopg

from tests.conftest import TestDatabase
from tests.integration.objects.proxy import Answer, Proxy, Request
from tests.system.conftest import until

LOCK = 65
"""The advisory lock for which acts wait; databases share none."""

TRIGGERS = f"""
CREATE TABLE halts (act text NOT NULL, role text NOT NULL);
CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF EXISTS (SELECT FROM halts
               WHERE role = session_user AND act = coalesce(TG_ARGV[0], to_jsonb(NEW) ->> 'act')) THEN
        PERFORM pg_advisory_xact_lock_shared({LOCK});
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER halt AFTER INSERT ON history FOR EACH ROW EXECUTE FUNCTION halt();
CREATE TRIGGER halt_placing AFTER INSERT OR UPDATE ON assets FOR EACH ROW
    WHEN (NEW.status = 'placing') EXECUTE FUNCTION halt('placing');
CREATE TRIGGER halt_announced AFTER UPDATE OF announced_at ON tasks FOR EACH ROW
    WHEN (NEW.announced_at IS DISTINCT FROM OLD.announced_at) EXECUTE FUNCTION halt('announced');
CREATE TRIGGER halt_uploading AFTER UPDATE OF upload_id ON claims FOR EACH ROW
    WHEN (NEW.upload_id IS DISTINCT FROM OLD.upload_id) EXECUTE FUNCTION halt('uploading');
"""

WAITING = """
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = %s AND wait_event_type = 'Lock' AND wait_event = 'advisory'
ORDER BY query_start
"""


class Halts:
    """Acts of services that wait before their commit."""

    def __init__(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        self._connection = connection

    def at(self, service: str, act: str) -> None:
        """From here on this act of this service waits, in as many backends as come to it."""
        self._connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        self._connection.execute("INSERT INTO halts VALUES (%s, %s)", (act, f"outlast_{service}"))

    def waiting(self, service: str) -> list[int]:
        """The backends of a service that wait, the longest waiting first."""
        return [int(str(pid)) for (pid,) in self._connection.execute(WAITING, (f"outlast-{service}",))]

    def go(self, waiting: Sequence[int], *, ending: Sequence[int]) -> None:
        """End some of the waiting backends, whose acts then never were, and let the others commit."""
        self._connection.execute("DELETE FROM halts")
        for pid in ending:
            self._connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        until(lambda: not self._alive(ending), "the backends have ended")
        self._connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))
        until(lambda: not self._alive(waiting), "the others have committed, and found nobody to tell")

    def _alive(self, pids: Sequence[int]) -> bool:
        found = self._connection.execute("SELECT FROM pg_stat_activity WHERE pid = ANY (%s)", (list(pids),))
        return found.fetchone() is not None


@contextmanager
def halts_in(database: TestDatabase) -> Iterator[Halts]:
    """The means to hold acts in a test's own database."""
    with psycopg.connect(database.url(), autocommit=True) as connection:
        connection.execute(TRIGGERS.encode())
        yield Halts(connection)


class Held:
    """Requests to the store that are held, one after the other each in another way.

    The first never arrives; of the second the answer is lost; the third arrives late, when `late` is set.
    """

    def __init__(self, proxy: Proxy, method: str, bucket: str, part: str) -> None:
        self._bucket, self._part = bucket, part
        self.arrived, self.over = 0, False
        self._killed, self.late = Event(), Event()
        self._lock = Lock()
        proxy.fault(method, bucket, self._meet)

    def killed(self) -> None:
        """Their sender is dead."""
        self._killed.set()

    def _meet(self, request: Request) -> Answer | None:
        with self._lock:
            is_meant = self._part in request.target and self.arrived < 3
            number, self.arrived = self.arrived, self.arrived + is_meant
        if not is_meant:
            return request.forward()
        if number == 1:
            request.forward()
        self._killed.wait(60)
        if number == 2:
            self.late.wait(60)
            request.forward()
            self.over = True
        return None
