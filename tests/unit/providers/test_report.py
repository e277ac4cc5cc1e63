"""What a job record says, by the expressions and words of an entry."""

from datetime import UTC, datetime
from typing import Any

import pytest

from shared.providers.reading import Reading
from shared.providers.report import (
    DEEPEST,
    LATEST_EPOCH,
    MOST_OUTPUTS,
    MOST_WORDS,
    Output,
    Report,
    Said,
    Unreadable,
    instant,
    read,
)
from tests.faults.canary import CANARY, check_silent, tells

LINK = f"https://cdn.example/{CANARY}path/v.mp4?sig={CANARY}query"
ENTRY = Reading(
    error="error",
    done=("succeeded", True),
    failed=("failed", "E7"),
    filtered=("moderated",),
    gone=("UNKNOWN",),
    limited=(1002,),
    refused=(1004,),
    failed_if="broken",
    filtered_if="blocked",
    code="code",
    message="message",
    job_id="id",
    model="model",
    completed_at="ended",
    output_id="id",
    output_error="code",
    output_message="message",
    output_kind="type",
    output_expires_at="ends",
    expires_at="ends",
)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def said(entry: Reading = ENTRY, /, **record: Any) -> Report:
    return read(entry, record)


@pytest.mark.parametrize(
    ("record", "meaning", "word"),
    [
        ({"status": "running"}, Said.RUNNING, "running"),
        ({"status": "succeeded"}, Said.DONE, "succeeded"),
        ({"status": True}, Said.DONE, "true"),
        ({"status": "failed"}, Said.FAILED, "failed"),
        ({"status": "moderated"}, Said.FILTERED, "moderated"),
        ({"status": "UNKNOWN"}, Said.GONE, "UNKNOWN"),
        ({"status": "paused"}, Said.UNKNOWN, "paused"),
        ({"status": ["running"]}, Said.UNKNOWN, '["running"]'),
        ({"status": "Succeeded"}, Said.UNKNOWN, "Succeeded"),
        ({"error": 1002}, Said.LIMITED, "1002"),
        ({"error": "1004", "status": "succeeded"}, Said.REFUSED, "1004"),
        ({"error": "E7"}, Said.FAILED, "E7"),
        ({"error": "E8", "status": "succeeded"}, Said.ERROR, "E8"),
        ({"error": 0, "status": "running"}, Said.RUNNING, "running"),
        ({"error": False, "status": "running"}, Said.RUNNING, "running"),
        ({"error": {}, "status": "running"}, Said.RUNNING, "running"),
        ({"status": "succeeded", "broken": {"code": 3}}, Said.FAILED, "succeeded"),
        ({"status": "succeeded", "blocked": 1}, Said.FILTERED, "succeeded"),
        ({"status": "succeeded", "blocked": 0, "broken": []}, Said.DONE, "succeeded"),
        ({"status": "succeeded", "blocked": True, "broken": True}, Said.FILTERED, "succeeded"),
        ({}, Said.GONE, "null"),
    ],
)
def test_the_words_of_a_record_mean_what_the_entry_says(record: dict[str, Any], meaning: Said, word: str) -> None:
    found = read(ENTRY, record)
    assert (found.said, found.word) == (meaning, word)


def test_a_record_without_a_status_is_one_of_no_job_only_where_errors_have_a_place() -> None:
    assert said(Reading()).said is Said.UNKNOWN
    assert said(Reading(running=("null",))).said is Said.RUNNING
    assert said(Reading(running=("null",), error="error")).said is Said.RUNNING


@pytest.mark.parametrize("record", [None, 7, "text", [], True, [{"status": "succeeded"}]])
def test_a_record_of_another_shape_ends_no_job(record: Any) -> None:
    assert read(Reading(), record).said is Said.UNKNOWN


def test_what_is_said_of_the_job_is_kept_as_text_and_cut() -> None:
    found = said(status="failed", id=9007199254740993, model="m", code={"a": 1}, message="x" * 999, ended=1796126400)
    assert (found.job_id, found.model, found.code) == ("9007199254740993", "m", '{"a": 1}')
    assert found.message == "x" * MOST_WORDS
    assert found.completed_at == NOON
    empty = said(status="failed", id="", model={"name": "m"}, code=0, message="")
    assert (empty.job_id, empty.model, empty.code, empty.message) == (None, None, None, None)
    assert len(said(status="y" * 999).word) == MOST_WORDS
    assert said(error="E8").code == "E8"


def test_outputs_are_read_only_of_a_job_that_is_done() -> None:
    outputs = [{"id": "a", "url": LINK}]
    assert said(status="succeeded", outputs=outputs).outputs == (Output("a", LINK),)
    for word in ("running", "failed", "moderated", "UNKNOWN", "paused"):
        assert said(status=word, outputs=outputs).outputs == ()


def test_an_output_has_its_id_else_its_index_and_the_only_one_needs_no_list() -> None:
    found = said(status="succeeded", outputs=[{"url": LINK}, {"id": 7, "url": LINK}, {"id": None, "url": LINK}])
    assert [output.output_id for output in found.outputs] == ["0", "7", "2"]
    assert said(status="succeeded", outputs={"url": LINK}).outputs == (Output("0", LINK),)
    assert said(status="succeeded", outputs=None).outputs == ()


def test_a_link_ends_with_the_first_end_that_is_told() -> None:
    def ends(of_job: Any, of_output: Any) -> datetime | None:
        return said(status="succeeded", ends=of_job, outputs=[{"url": LINK, "ends": of_output}]).outputs[0].expires_at

    assert ends("2026-12-01T13:00:00Z", 1796126400) == NOON
    assert ends(1796126400, None) == NOON
    assert ends("never", "soon") is None


def test_an_output_that_failed_says_why_and_one_with_a_link_did_not() -> None:
    outputs = [
        {"code": "E", "message": "broke"},
        {"url": LINK, "code": "W"},
        {"url": None},
        {"url": 7},
        {"url": "text"},
    ]
    found = said(status="succeeded", outputs=outputs)
    assert [output.has_failed for output in found.outputs] == [True, False, False, False, False]
    assert (found.outputs[0].code, found.outputs[0].message, found.outputs[1].code) == ("E", "broke", None)
    # Whoever takes the link refuses this one, so that everybody sees what was in its place.
    assert found.outputs[4].link == "text"
    assert found.notes == ("output 2 has no link", "output 3 is no link", "output 4 is no link")


def test_where_an_endpoint_gives_the_bytes_no_link_is_looked_for() -> None:
    found = said(Reading(has_links=False, output_kind="type"), status="succeeded", outputs=[{"url": LINK, "type": "v"}])
    assert found.outputs == (Output("0", kind="v"),)
    assert found.notes == ()


@pytest.mark.parametrize("any_shape", [False, True])
def test_a_thousand_outputs_are_read_and_the_others_told(any_shape: bool) -> None:
    found = said(Reading(any_shape=any_shape, output_url="@"), status="succeeded", outputs=[LINK] * (MOST_OUTPUTS + 5))
    assert len(found.outputs) == MOST_OUTPUTS
    assert found.notes == (f"5 outputs over {MOST_OUTPUTS} are not read",)


def test_links_of_any_shape_are_looked_for_to_a_depth() -> None:
    def nested(levels: int) -> Any:
        return LINK if levels == 0 else [nested(levels - 1)]

    anything = Reading(any_shape=True)
    assert len(said(anything, status="succeeded", outputs=nested(DEEPEST)).outputs) == 1
    assert said(anything, status="succeeded", outputs=nested(DEEPEST + 1)).notes == (
        "a value in the output is no link",
    )


@pytest.mark.parametrize("link", [LINK, LINK.upper(), "data:image/png;base64,AAAA", "http://x.example/"])
def test_links_of_any_shape_are_those_that_can_be_fetched(link: str) -> None:
    assert said(Reading(any_shape=True), status="succeeded", outputs={"a": {"b": link}}).outputs == (Output("0", link),)


@pytest.mark.parametrize("entry", [Reading(output_url="@"), Reading(any_shape=True)])
def test_a_link_that_is_no_unicode_text_is_a_fault_of_the_record(entry: Reading) -> None:
    with pytest.raises(Unreadable) as fault:
        said(entry, status="succeeded", outputs=[LINK + "\ud800"])
    check_silent(fault.value)


def test_an_expression_that_does_not_fit_the_record_is_told_without_a_word_of_it() -> None:
    with pytest.raises(Unreadable) as fault:
        said(Reading(status="values(state)"), state=LINK)
    assert str(fault.value) == "JMESPathTypeError"
    check_silent(fault.value)


def test_a_report_and_its_outputs_show_no_link() -> None:
    assert not tells(repr(said(status="succeeded", outputs=[{"url": LINK}, {"url": [LINK]}, LINK, {LINK: LINK}])))


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (1796126400, NOON),
        (1796126400.0, NOON),
        (1796126400000, NOON),
        ("2026-12-01T12:00:00Z", NOON),
        ("2026-12-01T20:00:00+08:00", NOON),
        ("2026-12-01 12:00:00", NOON),
        ("1796126400", None),
        ("soon", None),
        ("9999-12-31T23:59:59-23:00", None),
        (0, None),
        (-1, None),
        (LATEST_EPOCH * 1000, None),
        (10**30, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ([1796126400], None),
    ],
)
def test_a_time_is_read_in_every_notation_and_rubbish_is_none(value: Any, time: datetime | None) -> None:
    assert instant(value) == time
