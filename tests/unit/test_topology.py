import pytest

from shared.errors import UsageError
from shared.messages import Rejected
from shared.states import Stage
from shared.topology import (
    EXCHANGES,
    INTAKE,
    QUEUES,
    RESULTS,
    TASKS,
    Announcement,
    account_of,
    hint_queue,
    intake_key,
    results_key,
)

BY_NAME = {queue.name: queue for queue in QUEUES}
HINTS = [BY_NAME[hint_queue(stage)] for stage in Stage]
SAME_FROM_3_10_TO_4 = {
    "x-queue-type",
    "x-delivery-limit",
    "x-overflow",
    "x-max-length",
    "x-max-length-bytes",
    "x-message-ttl",
}
NOT_AN_ACCOUNT = ["", "Acme", "-acme", "a_b", "a" * 64, "acme/..", "acme\n", "*", "#"]


def test_the_names_are_the_published_ones() -> None:
    assert {exchange.name for exchange in EXCHANGES} == {"outlast.intake", "outlast.tasks", "outlast.results"}
    assert set(BY_NAME) == {
        "outlast.intake",
        "outlast.download",
        "outlast.verify",
        "outlast.promote",
        "outlast.results",
    }


def test_every_stage_is_woken_through_its_own_queue() -> None:
    assert [(queue.exchange, queue.binding) for queue in HINTS] == [(TASKS, stage.value) for stage in Stage]


def test_only_arguments_that_every_supported_broker_reads_alike_are_used() -> None:
    for queue in QUEUES:
        assert set(queue.arguments) <= SAME_FROM_3_10_TO_4
        assert queue.arguments["x-queue-type"] in {"quorum", "classic"}


def test_every_queue_is_bounded_and_says_what_a_full_one_does() -> None:
    for queue in QUEUES:
        assert int(queue.arguments["x-max-length"]) > 0
        assert queue.arguments["x-overflow"] in {"reject-publish", "drop-head"}


def test_a_quorum_queue_never_drops_what_was_only_returned() -> None:
    for queue in (BY_NAME[INTAKE], BY_NAME[RESULTS]):
        assert queue.arguments["x-queue-type"] == "quorum"
        assert queue.arguments["x-delivery-limit"] == 1_000_000


def test_a_full_intake_refuses_and_full_hints_and_results_drop_the_oldest() -> None:
    assert BY_NAME[INTAKE].arguments["x-overflow"] == "reject-publish"
    assert {queue.arguments["x-overflow"] for queue in (*HINTS, BY_NAME[RESULTS])} == {"drop-head"}


TYPES = ("outlast.output.ready",)


@pytest.mark.parametrize("key", ["outlast.output.ready", "studio.outlast.output.done", "studio", "", "studio."])
def test_a_key_that_is_no_account_and_known_type_is_rejected(key: str) -> None:
    with pytest.raises(Rejected) as rejected:
        account_of(key, TYPES)
    assert rejected.value.reason == "bad_routing_key"


def test_hints_live_ten_minutes() -> None:
    assert {queue.arguments["x-message-ttl"] for queue in HINTS} == {600_000}


def test_arguments_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        BY_NAME[INTAKE].arguments["x-max-length"] = 1  # type: ignore[index]


def test_the_account_is_what_stands_before_the_first_dot() -> None:
    key = intake_key("studio-7", "outlast.output.ready")
    assert key == "studio-7.outlast.output.ready"
    assert account_of(key, TYPES) == "studio-7"


@pytest.mark.parametrize("account", NOT_AN_ACCOUNT)
def test_a_key_without_a_proper_account_is_rejected_without_its_text(account: str) -> None:
    with pytest.raises(Rejected) as rejected:
        account_of(f"{account}.outlast.output.ready", TYPES)
    assert rejected.value.reason in {"bad_account", "bad_routing_key"}
    assert not account or account not in rejected.value.detail.split()


@pytest.mark.parametrize("account", [*NOT_AN_ACCOUNT, "a.b"])
def test_no_key_is_made_for_what_is_no_account(account: str) -> None:
    with pytest.raises(UsageError, match="An account is"):
        intake_key(account, "outlast.output.ready")
    with pytest.raises(UsageError, match="An account is"):
        results_key(Announcement.ASSET_COMPLETE, account)


def test_announcements_end_with_the_account() -> None:
    assert [results_key(announcement, "acme") for announcement in Announcement] == [
        "asset.complete.acme",
        "task.needs_attention.acme",
        "event.rejected.acme",
    ]
