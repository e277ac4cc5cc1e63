"""The many ways in which providers say the same, or something that nobody expects."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import Failure
from shared.providers.record import fresh_link
from shared.providers.report import Said, Unreadable, read
from shared.reasons import Reason
from tests.faults.canary import CANARY, check_silent, tells
from tests.unit.providers.samples import DOORS, ENTRIES, SAMPLES, Sample, called, door_of, reading_of

LINK = f"https://cdn.example/{CANARY}path/v.mp4?sig={CANARY}query"
OTHER = f"https://cdn.example/{CANARY}path/w.mp4?sig={CANARY}query"
FINAL = {Said.DONE, Said.FAILED, Said.FILTERED, Said.GONE}
Named = tuple[str, Sample]


def results(*found: Any) -> dict[str, Any]:
    return {"output": {"task_id": "t", "task_status": "SUCCEEDED", "results": list(found)}}


def test_fr41_of_several_outputs_each_has_its_own_end() -> None:
    failed = {"code": "InternalError", "message": "It broke."}
    report = read(reading_of("dashscope", "poll"), results({"url": LINK}, failed, {"url": OTHER}, None))
    assert [(output.output_id, output.link) for output in report.outputs if output.link] == [("0", LINK), ("2", OTHER)]
    assert [(output.output_id, output.code, output.message) for output in report.outputs if output.has_failed] == [
        ("1", "InternalError", "It broke.")
    ]
    assert report.notes == ("output 3 has no link",)


def test_fr41_two_outputs_with_one_link_stay_two() -> None:
    report = read(reading_of("dashscope", "poll"), results({"url": LINK}, {"url": LINK}))
    assert [(output.output_id, output.link) for output in report.outputs] == [("0", LINK), ("1", LINK)]


LOST = [named for named in SAMPLES if named[1].get("lost")]


@pytest.mark.parametrize("named", LOST, ids=map(called, LOST))
def test_fr47_a_record_that_names_no_output_any_more_is_a_lost_one_to_a_refresh(named: Named) -> None:
    name, sample = named
    output_id = next((output["id"] for output in sample.get("outputs", ())), "0")
    with pytest.raises(Failure) as failure:
        fresh_link(reading_of(name, "refresh"), sample["answer"], output_id, None)
    assert failure.value.reason is Reason.JOB_RECORD_GONE
    check_silent(failure.value)


@pytest.mark.parametrize(
    ("name", "record", "said"),
    [
        ("minimax", {"base_resp": {"status_code": 1002}}, Said.LIMITED),
        ("minimax", {"base_resp": {"status_code": "1002"}, "status": "Processing"}, Said.LIMITED),
        ("minimax", {"base_resp": {"status_code": 1004}}, Said.REFUSED),
        ("minimax", {"base_resp": {"status_code": 1033}, "status": "Success"}, Said.ERROR),
        ("minimax", {"base_resp": {"status_code": 0}, "status": "Processing"}, Said.RUNNING),
        ("kling", {"code": 1303, "data": None}, Said.LIMITED),
        ("kling", {"code": "1303"}, Said.LIMITED),
        ("kling", {"code": 5001, "data": {"task_status": "failed"}}, Said.ERROR),
        ("kling", {"code": 0, "data": {"task_status": "submitted"}}, Said.RUNNING),
        ("kling-v2", {"code": 1302, "data": []}, Said.LIMITED),
    ],
)
def test_fr48_an_error_inside_a_200_ends_no_job(name: str, record: Any, said: Said) -> None:
    assert read(reading_of(name, "poll"), record).said is said


def test_fr49_of_an_output_of_any_shape_the_links_are_taken_and_the_rest_is_told() -> None:
    inline = "data:image/png;base64," + "A" * 10_000_000
    output = {
        "clips": [{"mp4": LINK, "seconds": 5}, {"mp4": OTHER}],
        "caption": f"{CANARY} a cat",
        "still": inline,
        "log": f"file:///etc/{CANARY}",
        "path": "/data/out.mp4",
    }
    report = read(reading_of("replicate", "poll"), {"id": "p", "status": "succeeded", "output": output})
    links = [("0", LINK), ("1", OTHER), ("2", inline)]
    assert [(output.output_id, output.link) for output in report.outputs] == links
    assert report.notes == (
        "a value in the output is no link",
        *["a text in the output is no link"] * 3,
    )
    assert not tells(repr(report))


@pytest.mark.parametrize(
    "text", ["file:///etc/passwd", "/data/out.mp4", "a cat", "", "HTTPS:/x", 7, True, {}, [], None]
)
def test_fr49_an_output_without_any_link_is_a_finished_job_without_outputs(text: Any) -> None:
    report = read(reading_of("replicate", "poll"), {"id": "p", "status": "succeeded", "output": text})
    assert (report.said, report.outputs) == (Said.DONE, ())


WEBHOOKS = [(name, sample) for name, sample in SAMPLES if sample["door"] == "webhook" and sample.get("outputs")]


@pytest.mark.parametrize("named", WEBHOOKS, ids=map(called, WEBHOOKS))
def test_fr50_webhook_and_poll_of_one_job_say_the_same_of_it(named: Named) -> None:
    name, webhook = named
    (poll,) = (s for n, s in SAMPLES if (n, s["door"], s["shape"]) == (name, "poll", webhook["shape"]))
    heard, asked = (read(reading_of(name, sample["door"]), sample["answer"]) for sample in (webhook, poll))
    assert heard.outputs == asked.outputs
    assert heard.said is asked.said is Said.DONE
    assert asked.job_id in (heard.job_id, None)


@pytest.mark.parametrize(
    ("name", "door", "record"),
    [
        ("kling", "poll", {"code": 0, "data": {"task_id": 7, "task_status": "succeed"}}),
        ("kling", "webhook", {"task_id": "7", "task_status": "succeeded"}),
        ("kling-v2", "poll", {"code": 0, "data": [{"id": 7, "status": "succeeded"}]}),
        ("minimax", "poll", {"task_id": "7", "status": "Success"}),
        ("minimax", "webhook", {"task_id": 7, "status": "success"}),
        ("dashscope", "poll", {"output": {"task_id": 7, "task_status": "SUCCEEDED"}}),
        ("atlascloud", "webhook", {"session_id": 7, "status": "OK", "payload": {"status": "completed"}}),
    ],
)
def test_fr50_done_is_done_in_every_spelling_and_an_id_is_one_as_number_or_text(
    name: str, door: str, record: Any
) -> None:
    report = read(reading_of(name, door), record)
    assert (report.said, report.job_id) == (Said.DONE, "7")


def test_fr50_ok_over_a_payload_that_failed_is_a_failure() -> None:
    for word in ("failed", "timeout", "cancelled"):
        record = {"session_id": "p", "status": "OK", "payload": {"status": word, "outputs": [LINK]}}
        assert read(reading_of("atlascloud", "webhook"), record).said is Said.FAILED


@pytest.mark.parametrize("named", [named for named in SAMPLES if named[1].get("said") == "unknown"], ids=called)
def test_fr50_a_word_that_nobody_knows_ends_no_job(named: Named) -> None:
    name, sample = named
    assert read(reading_of(name, sample["door"]), sample["answer"]).said not in FINAL


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(LINK),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
READINGS = [reading for name in ENTRIES for door in DOORS if (reading := door_of(name, door))]


@st.composite
def broken(draw: st.DrawFn) -> Any:
    """A known answer with anything in place of one of its parts, or of all of it."""
    part = [draw(st.sampled_from([sample["answer"] for _, sample in SAMPLES]))]
    whole, key = part, 0
    while part[key] and isinstance(part[key], dict | list) and draw(st.booleans()):
        part[key] = part[key].copy()
        part = part[key]
        key = draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
    part[key] = draw(JSON)
    return whole[0]


@given(st.sampled_from(READINGS), broken() | JSON)
def test_no_record_whatever_breaks_its_reader_or_is_told(reading: Any, record: Any) -> None:
    try:
        report = read(reading, record)
    except Unreadable as error:
        check_silent(error)
    else:
        assert not tells(repr(report.outputs) + repr(report.notes))
