"""The values of verdicts on assets, under the names of the columns."""

from typing import Any

from services.ingest.heard import Heard
from shared.messages import AssetReviewed
from shared.redaction import redact


def reviewed(heard: Heard, data: AssetReviewed) -> dict[str, Any]:
    """Of the act `reviewed`."""
    verdict = {"verdict": data.verdict, "reviewed_by": data.reviewed_by}
    note = redact(data.note) if data.note else None
    return {
        **heard.values(),
        **verdict,
        "reviewed_at": heard.happened(data.reviewed_at),
        "note": note,
        "detail": {**verdict, **({"note": note} if note else {})},
    }
