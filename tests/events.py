"""Reading back what was written for the intake."""

from shared.messages import OutputReadyEvent, read_intake


def read_ready(body: bytes) -> OutputReadyEvent:
    """The `outlast.output.ready` in a body, for whatever account. Raises Rejected."""
    event = read_intake(body, account="", event_type="outlast.output.ready")
    assert isinstance(event, OutputReadyEvent)
    return event
