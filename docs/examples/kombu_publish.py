"""Publishes "this output can be fetched" with kombu: `python kombu_publish.py ACCOUNT JOB KIND < link.txt`.

Needs `pip install kombu` and the variable OUTLAST_AMQP_URL. Ends with 0 only when RabbitMQ has the event safe.
"""

import os
import sys
import uuid
from datetime import UTC, datetime

import kombu
from amqp.exceptions import AMQPError
from kombu.exceptions import OperationalError

SECONDS = 15


def event_of(job: str, kind: str, link: str) -> dict[str, object]:
    """A CloudEvents envelope; keep its id and send it again unchanged when the outcome is unknown."""
    return {
        "specversion": "1.0",
        "id": str(uuid.uuid4()),
        "source": "example/kombu",
        "type": "outlast.output.ready",
        "time": datetime.now(UTC).isoformat(),
        "data": {"provider": "acme", "job_id": job, "kind": kind, "url": link},
    }


def publish(amqp_url: str, account: str, event: dict[str, object]) -> None:
    """Hand over one event and wait until RabbitMQ has written it.

    After any exception the connection is thrown away: a late confirm must not be taken for that of the next event.
    """
    options = {"confirm_publish": True, "read_timeout": SECONDS, "write_timeout": SECONDS}
    with kombu.Connection(amqp_url, connect_timeout=SECONDS, transport_options=options) as connection:
        # Without a callback for returns an event that no queue takes is an exception, and not a success.
        producer = connection.Producer(auto_declare=False)
        producer.publish(
            event,
            exchange="outlast.intake",
            routing_key=f"{account}.{event['type']}",
            serializer="json",
            delivery_mode="persistent",
            mandatory=True,
            message_id=event["id"],
            confirm_timeout=SECONDS,
            retry=False,
        )


def main() -> int:
    """Publish the link of standard input; returns the exit code."""
    link = sys.stdin.readline().strip()
    if len(sys.argv) != 4 or not link:
        print(f"Usage: {sys.argv[0]} ACCOUNT JOB KIND < link.txt", file=sys.stderr)
        return 2
    account, job, kind = sys.argv[1:]
    event = event_of(job, kind, link)
    try:
        publish(os.environ["OUTLAST_AMQP_URL"], account, event)
    except (AMQPError, OperationalError, OSError) as error:
        print(f"Not confirmed, send it again with the same id: {error!r}", file=sys.stderr)
        return 1
    print(event["id"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
