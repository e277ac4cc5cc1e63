"""Publishes "this output can be fetched" with pika: `python pika_publish.py ACCOUNT JOB KIND < link.txt`.

Needs `pip install pika` and the variable OUTLAST_AMQP_URL. Ends with 0 only when RabbitMQ has the event safe.
"""

import json
import logging
import os
import sys
import uuid
from datetime import UTC, datetime

import pika
from pika.exceptions import AMQPError, NackError, UnroutableError

# pika logs the beginning of a message that comes back, and the message holds the link.
logging.getLogger("pika").setLevel(logging.CRITICAL)


def event_of(job: str, kind: str, link: str) -> dict[str, object]:
    """A CloudEvents envelope; keep its id and send it again unchanged when the outcome is unknown."""
    return {
        "specversion": "1.0",
        "id": str(uuid.uuid4()),
        "source": "example/pika",
        "type": "outlast.output.ready",
        "time": datetime.now(UTC).isoformat(),
        "data": {"provider": "acme", "job_id": job, "kind": kind, "url": link},
    }


def publish(amqp_url: str, account: str, event: dict[str, object]) -> None:
    """Hand over one event and wait until RabbitMQ has written it. Raises AMQPError."""
    parameters = pika.URLParameters(amqp_url)
    parameters.blocked_connection_timeout = 30
    with pika.BlockingConnection(parameters) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        channel.basic_publish(
            exchange="outlast.intake",
            routing_key=f"{account}.{event['type']}",
            body=json.dumps(event).encode(),
            properties=pika.BasicProperties(
                content_type="application/json", delivery_mode=2, message_id=str(event["id"])
            ),
            mandatory=True,
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
    except UnroutableError:
        print("No queue takes the event: an administrator must run `outlast migrate`.", file=sys.stderr)
        return 1
    except NackError:
        print("The intake queue is full: send the event again later.", file=sys.stderr)
        return 1
    except AMQPError as error:
        print(f"Not confirmed, send it again with the same id: {error!r}", file=sys.stderr)
        return 1
    print(event["id"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
