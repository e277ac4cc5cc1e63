"""Metrics: declared once, bounded, and readable by Prometheus (FR-71)."""

import re

import pytest
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from services.ingest.webhooks.unproven import Why
from shared.reasons import Reason
from shared.states import Stage
from shared.telemetry import metrics
from shared.telemetry.headline import HeadlineFigures
from shared.telemetry.register import Register

CANARY = "SECRETMARK7"


def value(register: Register, name: str, **labels: str) -> float | None:
    return register.registry.get_sample_value(name, labels)


def test_ten_thousand_unknown_values_make_one_more_series() -> None:
    register = Register()
    retries = register.counter("outlast_retries_total", "Retries.", reason=Reason, stage=Stage)
    before = len(register.render().splitlines())
    for number in range(10_000):
        retries.add(reason=f"https://host-{number}.example/{CANARY}", stage="download")
    after = register.render()
    assert len(after.splitlines()) == before + 1
    assert CANARY.encode() not in after
    assert value(register, "outlast_retries_total", reason="other", stage="download") == 10_000


def test_a_word_of_an_enum_and_its_text_are_the_same_series() -> None:
    register = Register()
    claims = register.counter("outlast_claims_total", "Claims.", stage=Stage)
    claims.add(stage=Stage.VERIFY)
    claims.add(stage="verify")
    assert value(register, "outlast_claims_total", stage="verify") == 2


def test_every_declared_series_is_there_before_the_first_count() -> None:
    register = Register()
    register.counter("outlast_events_total", "Events.", outcome=("accepted", "duplicate"))
    assert value(register, "outlast_events_total", outcome="duplicate") == 0


def test_values_that_only_the_start_knows_have_their_series_from_then_on_and_all_others_share_one() -> None:
    register = Register()
    words = register.counter("outlast_words_total", "Words.", provider=(), outcome=("good",))
    words.admit(provider=["acme", "other"])
    assert value(register, "outlast_words_total", provider="acme", outcome="good") == 0
    words.add(provider="acme", outcome="good")
    words.admit(provider=["acme", "bcme"])
    for name in (CANARY, "nobody"):
        words.add(provider=name, outcome="good")
    assert value(register, "outlast_words_total", provider="acme", outcome="good") == 1
    assert value(register, "outlast_words_total", provider="other", outcome="good") == 2
    assert CANARY.encode() not in register.render()
    with pytest.raises(ValueError, match="has the labels"):
        words.admit(host=["h"])


def test_a_metric_is_declared_once() -> None:
    register = Register()
    register.counter("outlast_events_total", "Events.")
    with pytest.raises(ValueError, match="declared twice"):
        register.gauge("outlast_events_total", "Events.")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("counter", "outlast_events"),
        ("gauge", "outlast_slots_total"),
        ("gauge", "slots_busy"),
        ("gauge", "outlast_Slots"),
        ("gauge", "outlast_slots-busy"),
        ("gauge", "outlast_slots_"),
    ],
)
def test_a_name_that_misleads_is_refused(kind: str, name: str) -> None:
    with pytest.raises(ValueError, match="no good name"):
        getattr(Register(), kind)(name, "Meaning.")


def test_a_label_that_is_not_declared_is_an_error() -> None:
    events = Register().counter("outlast_events_total", "Events.", outcome=("accepted",))
    for labels in ({}, {"host": "h"}, {"outcome": "accepted", "host": "h"}):
        with pytest.raises(ValueError, match="has the labels"):
            events.add(**labels)


def test_gauges_go_up_and_down_and_counters_do_not() -> None:
    register = Register()
    busy = register.gauge("outlast_slots_busy", "Busy.", stage=Stage)
    busy.add(1, stage="verify")
    busy.add(1, stage="verify")
    busy.add(-1, stage="verify")
    assert value(register, "outlast_slots_busy", stage="verify") == 1
    busy.set(5, stage="verify")
    assert value(register, "outlast_slots_busy", stage="verify") == 5
    with pytest.raises(ValueError):
        register.counter("outlast_bytes_total", "Bytes.").add(-1)


def test_the_histogram_tells_ten_minutes_from_an_hour_and_a_day() -> None:
    register = Register()
    spread = register.histogram("outlast_ready_to_stored_seconds", "Time.", (600, 3600, 86400))
    for seconds in (5, 700, 4000, 90_000):
        spread.observe(seconds)
    found = [
        value(register, "outlast_ready_to_stored_seconds_bucket", le=le)
        for le in ("600.0", "3600.0", "86400.0", "+Inf")
    ]
    assert found == [1, 2, 3, 4]


def test_our_own_register_is_valid_open_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        metrics.HEADLINE, "_read", lambda: HeadlineFigures(1, 2.0, 5, {"p": 3.0}, {"p": 4.0}, {"complete": 4}, 0, -1.0)
    )
    text = generate_latest(metrics.REGISTER.registry).decode()  # type: ignore[no-untyped-call]  # no hints there
    families = list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]  # no hints there
    names = {family.name for family in families if family.name.startswith("outlast_")}
    assert names == {name.removesuffix("_total") for name in metrics.REGISTER.declared}
    for family in families:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", family.name)
        assert family.documentation.endswith("."), family.name


def test_no_label_of_ours_can_hold_a_host_an_id_or_a_url() -> None:
    labels = {label for declared in metrics.REGISTER.declared.values() for label in declared.labels}
    assert labels == {"provider", "call", "hook", "outcome", "stage", "reason", "state", "version", "python"}


def test_every_way_in_which_a_proof_may_fail_is_counted_by_its_word() -> None:
    assert set(metrics.UNPROVEN_WEBHOOKS.declared.labels["reason"]) == set(Why)


def test_own_faults_know_exactly_the_reasons_that_are_ours() -> None:
    assert set(metrics.OWN_FAULTS.declared.labels["reason"]) == {reason for reason in Reason if reason.is_ours}
