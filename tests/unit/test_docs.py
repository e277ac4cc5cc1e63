"""The documentation says what is true."""

import re

import pytest

from shared.messages import EVENTS, Fault
from shared.messages.rejection import FIELDS
from shared.reasons import Reason
from tests.conftest import ROOT


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_its_row_with_its_sentence(reason: Reason) -> None:
    text = (ROOT / "docs/reasons.md").read_text(encoding="utf-8")
    assert f"| `{reason}` | {reason.rule.sentence} |" in text


def test_no_row_names_a_reason_that_is_gone() -> None:
    text = (ROOT / "docs/reasons.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)`", text, re.M)) == {str(reason) for reason in Reason}


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_every_field_of_the_event_is_described(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs/intake.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("word", [*EVENTS, *Fault])
def test_every_type_and_every_rejection_has_its_row(word: str) -> None:
    assert f"\n| `{word}` |" in (ROOT / "docs/intake.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", ["README.md", "ARCHITECTURE.md", *[f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")]]
)
def test_every_link_of_a_page_leads_to_a_file(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert ((ROOT / page).parent / target).exists(), target
