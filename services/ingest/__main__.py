"""Runs the ingest service."""

from services.ingest.events import Events
from services.ingest.handler import Intake
from services.ingest.inputs import Inputs
from services.ingest.reader import Reader
from services.ingest.silence import Silence
from shared.broker.consumer import Consumer
from shared.providers import Registry
from shared.service import Service, run_service
from shared.states import Stage
from shared.tasks.announcing import Rejections
from shared.topology import INTAKE
from shared.vault import Vault

PREFETCH = 64


def build(service: Service) -> None:
    """The intake queue's door, and an eye on what waits for a word."""
    settings = service.settings
    events = Events(
        service.database,
        Vault.open_ring(settings.keyring_file),
        Registry.load(settings.providers_dir),
        wake=lambda task_id: service.hint(Stage.DOWNLOAD, task_id),
    )
    intake = Intake(service.database, Reader(events, Inputs.of(settings)))
    consumer = Consumer(service.amqp_url, INTAKE, intake.take, prefetch=PREFETCH, name=service.name)
    intake.attach(consumer)
    service.add(intake)
    service.consume(INTAKE, consumer)
    service.add(Silence(service.database, settings.generation_seconds, settings.envelope_seconds))
    service.announce(Rejections())


if __name__ == "__main__":
    run_service("ingest", build)
