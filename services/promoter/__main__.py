"""Runs the promoter service."""

from services.promoter.handler import Promoter
from shared.objects.behaviour import heeds_copy_conditions
from shared.service import Service, run_service
from shared.states import Stage
from shared.tasks.announcing import Results


def build(service: Service) -> None:
    """The promote stage, and the announcements of finished tasks."""
    settings, store = service.settings, service.open_store()
    conditioned = heeds_copy_conditions(store, settings.assets_bucket)
    handle = Promoter(service.recorder, store, settings.assets_bucket, conditioned)
    service.work(Stage.PROMOTE, handle, check=lambda: store.check(settings.staging_bucket, settings.assets_bucket))
    service.announce(Results())


if __name__ == "__main__":
    run_service("promoter", build)
