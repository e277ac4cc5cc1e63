"""The table can be read at every usual width."""

import io
from datetime import timedelta

import pytest
from rich.cells import cell_len
from rich.console import Console

from deploy.local.demo.outcomes import print_outcomes
from deploy.local.demo.proof import Ended
from deploy.local.demo.provider import Offer
from deploy.local.demo.scenario import Capture
from shared.reasons import Reason
from tests.unit.public_tasks import NOW, public_task

URI = "s3://outlast-assets/video/demo/" + "a" * 90 + ".mp4"
OFFER = Offer("j", "a.mp4", "video/mp4", b"", 8)
DONE = public_task(
    "complete",
    kind="video",
    durable_uri=URI,
    size=1_234_567_890,
    sha256="0123456789abcdef" * 4,
    stored_at=NOW + timedelta(seconds=10.3),
)
STOPPED = public_task("needs_attention", kind="archive", reason=Reason.ERROR_BODY)
ENDED: Ended = [
    (Capture("a.mp4", OFFER, None, note="its first link was dead"), DONE),
    (Capture("a/folder/of/a/long/name/with/more/and/more/folders/in/it/image.png", OFFER, None), STOPPED),
    (Capture("图像" * 20 + ".png", OFFER, None), STOPPED),
    (Capture("lost.mp4", OFFER, None), None),
]


def printed(width: int) -> list[str]:
    text = io.StringIO()
    print_outcomes(Console(file=text, width=width), ENDED)
    return text.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_nothing_is_split_and_only_an_address_is_wider_than_the_terminal(width: int) -> None:
    lines = printed(width)
    assert all(cell_len(line) <= width for line in lines if URI not in line)
    assert f"  {URI}" in lines
    for words in (
        ["a.mp4", "video", "complete", "1,234,567,890", "01234567…", "10.3", "s", "8", "s"],
        ["lost.mp4", "never", "seen", "8", "s"],
    ):
        assert words in [line.split() for line in lines]
    assert any(line.split()[1:3] == ["archive", "needs_attention"] and "image.png" in line for line in lines)


def test_a_reason_stands_with_its_sentence_and_a_note_below_its_row() -> None:
    lines = printed(160)
    assert f"  error_body: {Reason.ERROR_BODY.rule.sentence}" in lines
    assert lines[lines.index(f"  {URI}") + 1] == "  (its first link was dead)"
