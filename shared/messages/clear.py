"""An event's data with its links in the clear: for the intake alone, and for what is derived from it."""

from typing import Any

from pydantic import SecretStr

from shared.messages.events import IntakeEvent


def clear_data(event: IntakeEvent, **options: Any) -> dict[str, Any]:
    """The data, JSON-ready; `options` are those of pydantic's `model_dump`. It holds credentials: keep it in memory."""
    links = {name: value.get_secret_value() for name, value in event.data if isinstance(value, SecretStr)}
    return {**event.data.model_dump(mode="json", **options), **links}
