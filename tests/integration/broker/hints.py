"""The download queue seen from outside, and consumers of it."""

from collections.abc import Callable

from pika.adapters.blocking_connection import BlockingChannel

from shared.broker.consumer import Consumer
from shared.topology import TASKS

DOWNLOADS = "outlast.download"
Start = Callable[..., Consumer]
"""Starts a consumer: `start(handle, *, url, queue, prefetch, heartbeat)`."""


def publish(channel: BlockingChannel, body: bytes = b"{}") -> None:
    channel.basic_publish(TASKS, "download", body)


def depth(channel: BlockingChannel, queue: str = DOWNLOADS) -> int:
    """Messages that are ready and in nobody's hands."""
    return int(channel.queue_declare(queue, passive=True).method.message_count)
