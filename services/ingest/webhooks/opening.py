"""The webhook door put together from its parts."""

from services.ingest.events import Events
from services.ingest.outbound import api_policy
from services.ingest.reported import Reported
from services.ingest.webhooks.addressee import Addressees
from services.ingest.webhooks.closing import Closing
from services.ingest.webhooks.door import Door
from services.ingest.webhooks.door_keys import read_keys
from services.ingest.webhooks.following import Follower
from services.ingest.webhooks.hearing import Hearing
from services.ingest.webhooks.jwks import Jwks
from services.ingest.webhooks.public_url import PublicUrl
from services.ingest.webhooks.receive import FOLLOWERS, Receiver
from shared.providers import Registry
from shared.service import Service
from shared.telemetry import metrics

FURTHER_CONNECTIONS = 8
"""To the database: for all that ingest does beside following webhooks."""


def open_door(service: Service, registry: Registry, events: Events) -> None:
    """Let webhooks in. Raises UsageError where a setting is missing or wrong."""
    settings, database = service.settings, service.database
    addressees = Addressees(PublicUrl.of(settings), read_keys(settings.webhook_key_file), registry)
    clock, closing = events.clock.now, Closing(database)
    hearing = Hearing(registry, Jwks(api_policy(settings)), clock, settings.webhook_bytes)
    follower = Follower(database, events, Reported(database, events), closing, clock)
    receiver = Receiver(addressees, hearing, follower, settings.webhook_bytes)
    door = Door(receiver, settings.webhook_host, settings.webhook_port)
    metrics.UNKNOWN_STATUSES.admit(provider=registry.all_counted())
    # The time is known before the first webhook is proven by it.
    clock()
    database.resize(FOLLOWERS, FOLLOWERS + FURTHER_CONNECTIONS)
    service.add(closing)
    service.add(door)
    service.watch(door.problems)
