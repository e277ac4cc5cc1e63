"""The sweep behind every test of the whole: all that the services left anywhere, searched for a link's secret."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pika
import psycopg
from minio import Minio
from psycopg import sql

from tests.faults.canary import excerpts

INTAKE = "outlast.intake"
_SMALL_BYTES = 2**20


@dataclass
class Seen:
    """What a test itself put into the intake, where links rest by design, and what it took out or was told."""

    published: set[bytes] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    def message(self, queue: str, key: str, headers: object, body: bytes) -> None:
        """Keep a message that was taken."""
        if not (queue == INTAKE and body in self.published):
            self.told.add(f"{queue} {key} {body!r} {headers!r}")


def leaks(database_url: str, amqp_url: str, queues: list[str], s3: Minio, prefix: str, seen: Seen) -> list[str]:
    """The places that tell a canary: rows, messages, objects, and what the test saw. Takes all messages."""
    take_all(amqp_url, queues, seen)
    told = (("seen", text) for text in sorted(seen.told))
    return [
        each for place, text in (*told, *_rows(database_url), *_objects(s3, prefix)) for each in excerpts(place, text)
    ]


def take_all(amqp_url: str, queues: list[str], seen: Seen) -> None:
    """Take every message of every queue."""
    with pika.BlockingConnection(pika.URLParameters(amqp_url)) as connection:
        channel = connection.channel()
        for queue in queues:
            while (found := channel.basic_get(queue, auto_ack=True))[0] is not None:
                method, properties, body = found
                seen.message(queue, method.routing_key, vars(properties), body)


def _rows(database_url: str) -> Iterator[tuple[str, str]]:
    """Every row of every table and view, by its table; what is sealed is here as bytes, and tells nothing."""
    with psycopg.connect(database_url) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        for name in tables:
            statement = sql.SQL("SELECT * FROM {}").format(sql.Identifier(*name))
            yield f"table {'.'.join(name)}", repr(connection.execute(statement).fetchall())


def _objects(s3: Minio, prefix: str) -> Iterator[tuple[str, str]]:
    """Names, metadata and small contents of all objects of a test's buckets."""
    for bucket in (found.name for found in s3.list_buckets() if found.name.startswith(prefix)):
        for found in s3.list_objects(bucket, recursive=True):
            name = found.object_name or ""
            head = s3.stat_object(bucket, name)
            place = f"object {bucket}/{name}"
            yield place, repr(dict(head.metadata or {}))
            if (head.size or 0) <= _SMALL_BYTES:
                answer = s3.get_object(bucket, name)
                yield f"bytes of {place}", answer.read().decode("latin-1")
                answer.close()
                answer.release_conn()
