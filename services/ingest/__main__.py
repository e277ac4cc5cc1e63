"""Runs the ingest service."""

from threading import Event

from services.ingest.events import Events
from services.ingest.handler import Intake
from services.ingest.inputs import Inputs
from services.ingest.outbound import api_policy
from services.ingest.poller import Poller
from services.ingest.polling.inquiry import Inquiry
from services.ingest.polling.question import Questions
from services.ingest.reader import Reader
from services.ingest.reported import Reported
from services.ingest.silence import Silence
from services.ingest.webhooks.opening import open_door
from shared.broker.consumer import Consumer
from shared.db.clock import DatabaseClock
from shared.providers import Registry
from shared.providers.calls import Calls
from shared.providers.keys import Keys
from shared.service import Service, run_service
from shared.states import Stage
from shared.tasks.announcing import Rejections
from shared.topology import INTAKE
from shared.vault import Vault

PREFETCH = 64


def poller(service: Service, events: Events, vault: Vault, registry: Registry) -> Poller:
    """What asks providers about jobs."""
    settings, stopping = service.settings, Event()
    inquiry = Inquiry(
        service.database,
        Reported(service.database, events),
        registry,
        Questions(vault, Keys(registry.all()), api_policy(settings), stopping.is_set),
        Calls("poll", registry),
        DatabaseClock(service.database).now,
    )
    return Poller(
        service.database,
        registry.polled(),
        inquiry,
        stopping,
        questions=settings.questions,
        generation_seconds=settings.generation_seconds,
    )


def intake(service: Service, events: Events) -> None:
    """The intake queue's door."""
    reader = Intake(service.database, Reader(events, Inputs.of(service.settings)))
    consumer = Consumer(service.amqp_url, INTAKE, reader.take, prefetch=PREFETCH, name=service.name)
    reader.attach(consumer)
    service.add(reader)
    service.consume(INTAKE, consumer)


def build(service: Service) -> None:
    """The doors that this process opens, and an eye on what waits for a word."""
    settings = service.settings
    vault, registry = Vault.open_ring(settings.keyring_file), Registry.load(settings.providers_dir)
    events = Events(
        service.database,
        vault,
        registry,
        wake=lambda task_id: service.hint(Stage.DOWNLOAD, task_id),
    )
    service.add(Silence(service.database, settings.generation_seconds, settings.envelope_seconds))
    service.announce(Rejections())
    if "intake" in settings.doors:
        intake(service, events)
    if "poller" in settings.doors:
        service.add(poller(service, events, vault, registry))
    if "webhooks" in settings.doors:
        open_door(service, registry, events)


if __name__ == "__main__":
    run_service("ingest", build)
