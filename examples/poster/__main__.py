"""A processor to copy: makes a poster of every video that Outlast has captured, exactly one for each asset."""

import argparse
import logging
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event
from urllib.parse import quote, urlsplit

import pika
from pika.exceptions import AMQPError

from examples.poster.frame import NoUsableFrame, make_poster
from outlast import Asset, NotAnAsset, ProcessingLedger, Run, RunningElsewhere, UnknownAsset, UsageError

VERSION = "poster-1"  # another version makes every poster anew: change it when they would look different
QUEUE, BINDING = "processor.poster", "asset.complete.#"
# These mean the same on RabbitMQ 3.10 to 4.x; a queue that exists keeps its arguments, so others need another name.
ARGUMENTS = {
    "x-queue-type": "quorum",
    "x-delivery-limit": 1_000_000,
    "x-overflow": "drop-head",
    "x-max-length": 100_000,
}
PREFETCH = 8
MOST_BYTES = 4 * 2**30
AGAIN_SECONDS = 5.0
HELP = "It reads OUTLAST_AMQP_URL, OUTLAST_DATABASE_URL and OUTLAST_S3_*: see docs/processors.md."

log = logging.getLogger("poster")


def process(ledger: ProcessingLedger, asset: Asset) -> float | None:
    """Bring an asset to its last word; returns the seconds to wait where another run is at work on it."""
    begun = ledger.begin(asset, VERSION, extension="jpg")
    if isinstance(begun, RunningElsewhere):
        return begun.seconds
    if isinstance(begun, Run):
        with begun as run, TemporaryFile() as video:
            run.fetch(video, max_bytes=MOST_BYTES)
            try:
                poster = make_poster(video, run.check)
            except NoUsableFrame as error:
                begun = run.reject("no_usable_frame", str(error))
            else:
                log.info("made task=%s epoch=%d", asset.task_id, run.epoch)
                begun = run.complete(poster, content_type="image/jpeg")
    log.info("%s task=%s adopted=%s reason=%s", begun.outcome, asset.task_id, begun.adopted, begun.reason)
    return None


def handle(ledger: ProcessingLedger, body: bytes) -> float | None:
    """Process one message; returns the seconds until it is tried again, or None when it is done with."""
    try:
        asset = Asset.from_message(body)
        return process(ledger, asset) if asset.kind == "video" else None
    except (NotAnAsset, UnknownAsset) as error:
        log.error("dropped: %s", error)
        return None
    except Exception:
        log.exception("tried again in %.0f s", AGAIN_SECONDS)
        return AGAIN_SECONDS


def consume(ledger: ProcessingLedger, queue: str, pool: ThreadPoolExecutor, stopping: Event) -> None:
    """Consume over one connection until it breaks; a message is acked when its asset has its last word, not before."""

    def work(tag: int, body: bytes) -> None:
        seconds = handle(ledger, body)
        with suppress(AMQPError):  # a connection that is gone has given the message back
            connection.add_callback_threadsafe(partial(settle, tag, body, seconds))

    def settle(tag: int, body: bytes, seconds: float | None) -> None:
        if seconds is None:
            channel.basic_ack(tag)
        else:
            connection.call_later(seconds, lambda: pool.submit(work, tag, body))

    with pika.BlockingConnection(parameters()) as connection:
        channel = connection.channel()
        channel.queue_declare(queue, durable=True, arguments=ARGUMENTS)
        channel.queue_bind(queue, "outlast.results", BINDING)
        channel.basic_qos(prefetch_count=PREFETCH)
        channel.basic_consume(queue, lambda _, method, __, body: pool.submit(work, method.delivery_tag, body))
        log.info("ready queue=%s", queue)
        while not stopping.is_set():
            connection.process_data_events(time_limit=0.5)
        pool.shutdown(cancel_futures=True)  # the run under way comes to its end
        connection.process_data_events(time_limit=0)


def parameters() -> pika.URLParameters:
    """The connection that the environment names."""
    url = urlsplit(os.environ["OUTLAST_AMQP_URL"])
    if file := os.environ.get("OUTLAST_AMQP_PASSWORD_FILE"):
        password = quote(Path(file).read_text().strip(), safe="")
        url = url._replace(netloc=f"{url.username}:{password}@{url.netloc.rpartition('@')[2]}")
    found = pika.URLParameters(url.geturl())
    found.heartbeat = 20
    return found


def main() -> None:
    """Consume until SIGTERM, over one connection after the other."""
    parser = argparse.ArgumentParser(prog="python -m examples.poster", description=__doc__, epilog=HELP)
    parser.add_argument("--queue", default=QUEUE, help="its own queue, which it declares itself (%(default)s)")
    parser.add_argument("--tries", type=int, default=5, help="runs without an end before it gives up (%(default)s)")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s pid=%(process)d %(message)s")
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    stopping = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    try:
        parameters()
        ledger = ProcessingLedger.from_environment(most_tries=options.tries)
    except KeyError as error:
        parser.error(f"{error} is not set")
    except UsageError as error:
        parser.error(str(error))
    with ledger, ThreadPoolExecutor(1) as pool:
        while not stopping.is_set():
            try:
                consume(ledger, options.queue, pool, stopping)
            except (AMQPError, OSError) as error:
                log.warning("connection lost: %r", error)
                stopping.wait(AGAIN_SECONDS)


if __name__ == "__main__":
    main()
