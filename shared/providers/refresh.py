"""Asking a provider for a fresh link to an output of a finished job; never for a new generation."""

from shared.egress import Policy
from shared.errors import Failure
from shared.providers.asking import address, ask, with_key
from shared.providers.entry import Provider
from shared.providers.keys import Key
from shared.providers.record import FreshLink, fresh_link
from shared.reasons import Reason


def refresh(
    provider: Provider,
    key: Key | None,
    job_id: str,
    output_id: str,
    policy: Policy,
    deadline: float,
    given: str | None = None,
) -> FreshLink:
    """Fetch the job record and return the output's link.

    `given` is the record's address where an event told it; `deadline` is an instant of `time.monotonic()`.
    Raises Failure: job_record_gone where the provider no longer knows the job or its output, provider_failed or
    provider_filtered by its word, credential_refused (also where the job is unknown to a key that took the place of
    another since the output was ready), rate_limited, source_unavailable, too_large, or what the guard refuses.
    """
    entry = provider.refresh
    url = address(provider, entry, job_id, output_id, given) if entry else None
    if entry is None or url is None:
        raise Failure(Reason.URL_EXPIRED, {"refresh": "this provider has none"})
    with with_key(key):
        document = ask(entry, url, (job_id, output_id), key, policy, deadline, follow=entry.follow)
        return fresh_link(entry, document.value, output_id, document.wait)
