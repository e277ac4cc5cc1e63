"""What exists on the broker: exchanges, queues with their arguments, bindings, and routing keys.

Every argument here means the same on RabbitMQ 3.10 to 4.x. The arguments of a queue that exists cannot
be changed, so other arguments need a new queue name.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from shared.errors import UsageError
from shared.messages import ACCOUNT, UNKNOWN_ACCOUNT, Rejected
from shared.states import Stage

INTAKE = "outlast.intake"
TASKS = "outlast.tasks"
RESULTS = "outlast.results"

NOTIFICATIONS = "objects"
"""Routing key of object stores' notifications on the intake exchange; no account's key is without a dot."""

Arguments = Mapping[str, str | int]


@dataclass(frozen=True)
class Exchange:
    """A durable topic exchange."""

    name: str


@dataclass(frozen=True)
class Queue:
    """A durable queue, bound to one exchange by one key."""

    name: str
    exchange: str
    binding: str
    arguments: Arguments = field(hash=False)


class Announcement(StrEnum):
    """What Outlast tells the world; also the first words of the routing key."""

    ASSET_COMPLETE = "asset.complete"
    NEEDS_ATTENTION = "task.needs_attention"
    EVENT_REJECTED = "event.rejected"


# RabbitMQ 4 drops a message after 20 returns unless a limit is set, and 3.10 drops at the first one for -1.
_NEVER_DROP_RETURNED = 1_000_000

_INTAKE_ARGUMENTS: Arguments = MappingProxyType(
    {
        "x-queue-type": "quorum",
        "x-delivery-limit": _NEVER_DROP_RETURNED,
        # A full intake refuses the newest event, so that its producer knows; nothing accepted is pushed out.
        "x-overflow": "reject-publish",
        "x-max-length": 1_000_000,
        "x-max-length-bytes": 4 * 2**30,
    }
)

_HINT_ARGUMENTS: Arguments = MappingProxyType(
    {
        # Named, as a virtual host may have another default type.
        "x-queue-type": "classic",
        # A lost hint costs one poll interval, so the newest are kept and old ones vanish.
        "x-overflow": "drop-head",
        "x-max-length": 10_000,
        "x-message-ttl": 10 * 60 * 1000,
    }
)

_RESULTS_ARGUMENTS: Arguments = MappingProxyType(
    {
        "x-queue-type": "quorum",
        "x-delivery-limit": _NEVER_DROP_RETURNED,
        # Where nobody reads the results, the oldest give way; the rows in Postgres still hold every one.
        "x-overflow": "drop-head",
        "x-max-length": 100_000,
        "x-max-length-bytes": 512 * 2**20,
    }
)


def hint_queue(stage: Stage) -> str:
    """The name of the queue that wakes a stage; its routing key on `outlast.tasks` is the stage's word."""
    return f"outlast.{stage}"


EXCHANGES = (Exchange(INTAKE), Exchange(TASKS), Exchange(RESULTS))
QUEUES = (
    Queue(INTAKE, INTAKE, "#", _INTAKE_ARGUMENTS),
    *(Queue(hint_queue(stage), TASKS, stage.value, _HINT_ARGUMENTS) for stage in Stage),
    Queue(RESULTS, RESULTS, "#", _RESULTS_ARGUMENTS),
)


def intake_key(account: str, event_type: str) -> str:
    """The routing key of an event for the intake exchange. Raises UsageError if the account is none."""
    return f"{_account(account)}.{event_type}"


def results_key(announcement: Announcement, account: str) -> str:
    """The routing key of an announcement. Raises UsageError if the account is none, nor the one of rejections."""
    return f"{announcement}.{account if account == UNKNOWN_ACCOUNT else _account(account)}"


def account_of(routing_key: str, event_types: Collection[str]) -> str:
    """The account an intake message speaks for: its routing key is `{account}.{type}` with one of the types.

    Raises Rejected with reason bad_account or bad_routing_key.
    """
    account, _, event_type = routing_key.partition(".")
    if event_type not in event_types:
        known = ", ".join(f"{{account}}.{name}" for name in event_types)
        raise Rejected("bad_routing_key", f"the routing key is not {known}")
    if not ACCOUNT.fullmatch(account):
        raise Rejected("bad_account", "the routing key does not start with an account and a dot")
    return account


def speaker_of(routing_key: str) -> str:
    """The account for which a message of any routing key speaks, by RabbitMQ's own permission; else UNKNOWN_ACCOUNT."""
    account, dot, _ = routing_key.partition(".")
    return account if dot and ACCOUNT.fullmatch(account) else UNKNOWN_ACCOUNT


def _account(account: str) -> str:
    if not ACCOUNT.fullmatch(account):
        raise UsageError("An account is 1 to 63 lower-case letters, digits and hyphens, for example studio-7.")
    return account
