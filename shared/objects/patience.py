"""How often and how long we ask a store again that says no for the moment."""

from threading import Event

from tenacity import (
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_attempt,
    stop_when_event_set,
    wait_exponential_jitter,
)

from shared.objects.errors import Transient


def patiently(stopped: Event | None = None) -> Retrying:
    """Call something up to four times while it raises Transient, over about 3 s, or until `stopped` is set.

    Only for acts that may run twice. The last failure is raised as it is.
    """
    stopped = stopped or Event()
    return Retrying(
        retry=retry_if_exception_type(Transient),
        stop=stop_after_attempt(4) | stop_when_event_set(stopped),
        wait=wait_exponential_jitter(multiplier=0.25, max=5, jitter=0.5),
        sleep=sleep_using_event(stopped),
        reraise=True,
    )
