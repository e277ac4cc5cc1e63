"""The pages for people say what the code says."""

from pathlib import Path

import pytest

from shared.telemetry import metrics
from shared.telemetry.register import Declared

PAGE = Path(__file__).parents[3] / "docs" / "telemetry.md"
MOST_LISTED = 12


def row(declared: Declared) -> str:
    labels = [f"`{name}`{listed(values)}" for name, values in declared.labels.items()]
    return f"| `{declared.name}` | {declared.kind} | {'; '.join(labels) or '-'} | {declared.meaning} |"


def listed(values: tuple[str, ...]) -> str:
    return f": {', '.join(values)}" if 1 < len(values) <= MOST_LISTED else ""


def test_the_table_of_metrics_is_the_register() -> None:
    expected = [row(declared) for declared in metrics.REGISTER.declared.values()]
    found = [line for line in PAGE.read_text().splitlines() if line.startswith("| `outlast_")]
    assert found == expected, "docs/telemetry.md needs these rows:\n" + "\n".join(expected)


@pytest.mark.parametrize(
    "field", ["ts", "level", "service", "event", "logger", "trace_id", "task_id", "reason", "exception"]
)
def test_the_fields_of_a_line_are_explained(field: str) -> None:
    assert f"\n| `{field}` | " in PAGE.read_text()
