"""Runs the downloader service."""

import math

from services.downloader.aftermath import Aftermath
from services.downloader.bandwidth import Bandwidth
from services.downloader.handler import Downloader
from services.downloader.sources import Sources
from services.downloader.transfer import Limits
from shared.egress import Policy, parse_allow
from shared.providers import Provider, Registry
from shared.service import Service, run_service
from shared.settings import Settings
from shared.states import Stage
from shared.vault import Vault


def policy_of(settings: Settings, provider: Provider) -> Policy:
    """Where links of a provider may lead."""
    return Policy(
        allow=parse_allow(settings.egress_allow),
        http=settings.egress_http,
        connect_seconds=settings.connect_seconds,
        idle_seconds=settings.idle_seconds,
        hosts=provider.hosts,
    )


def limits_of(settings: Settings) -> Limits:
    """How slow a transfer may be; what our own limit costs it is not held against its source."""
    share = settings.max_bytes_per_second / settings.slots if settings.max_bytes_per_second else math.inf
    return Limits(
        total_seconds=settings.transfer_seconds,
        share_bytes_per_second=share,
        min_bytes_per_second=settings.min_bytes_per_second,
    )


def build(service: Service) -> None:
    """The download stage."""
    settings, store = service.settings, service.open_store()
    registry = Registry.load(settings.providers_dir)

    def policy(provider: Provider) -> Policy:
        return policy_of(settings, provider)

    sources = Sources(service.database, service.recorder, Vault.open_ring(settings.keyring_file), registry, policy)
    handle = Downloader(
        recorder=service.recorder,
        sources=sources,
        aftermath=Aftermath(service.recorder, sources),
        registry=registry,
        store=store,
        staging_bucket=settings.staging_bucket,
        max_bytes=settings.max_object_bytes,
        limits=limits_of(settings),
        policy=policy,
        bandwidth=Bandwidth(settings.max_bytes_per_second),
        hint=lambda claim, reference: service.hint(Stage.VERIFY, claim.task_id, claim, reference),
    )
    service.work(Stage.DOWNLOAD, handle, check=lambda: store.check(settings.staging_bucket), transfers=registry.caps())


if __name__ == "__main__":
    run_service("downloader", build)
