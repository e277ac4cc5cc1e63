"""The loop guard: no configuration in which our own objects could be input, and whose an object is."""

from typing import Any

import pytest

from services.ingest.inputs import Inputs
from shared.errors import UsageError
from shared.keys import account_of_input, input_key
from shared.settings import Settings


def settings(**changes: Any) -> Settings:
    return Settings.model_validate({"database_url": "postgresql://x/y", "amqp_url": "amqp://x", **changes})


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"input_bucket": "outlast-staging"}, "staging"),
        ({"input_bucket": "outlast-assets"}, "assets"),
        ({"input_bucket": "outlast-output"}, "output"),
        ({"input_bucket": "outlast-staging", "input_prefix": "staging/in/"}, "staging"),
        ({"input_bucket": "outlast-assets", "input_prefix": "video/"}, "assets"),
        ({"input_bucket": "outlast-assets", "input_prefix": "pdf/in/"}, "assets"),
        ({"input_bucket": "all", "output_bucket": "all", "input_prefix": "output/"}, "output"),
        ({"input_bucket": "all", "staging_bucket": "all"}, "staging"),
    ],
)
def test_a_configuration_in_which_our_own_work_would_start_more_is_refused(changes: dict[str, str], where: str) -> None:
    with pytest.raises(UsageError, match=f"of the {where} bucket"):
        Inputs.of(settings(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"input_prefix": "jobs/"},
        {
            "input_bucket": "all",
            "output_bucket": "all",
            "staging_bucket": "all",
            "assets_bucket": "all",
            "input_prefix": "in/",
        },
    ],
)
def test_an_input_of_its_own_is_fine_even_in_a_shared_bucket(changes: dict[str, str]) -> None:
    Inputs.of(settings(**changes))


def test_a_prefix_ends_where_a_folder_does() -> None:
    with pytest.raises(ValueError, match="input_prefix"):
        settings(input_prefix="in")


@pytest.mark.parametrize(
    ("bucket", "key", "account"),
    [
        ("outlast-input", "jobs/studio/t 1/in put.pdf", "studio"),
        ("outlast-input", "jobs/studio/x", "studio"),
        ("outlast-assets", "jobs/studio/x", None),
        ("outlast-input", "studio/x", None),
        ("outlast-input", "other/studio/x", None),
        ("outlast-input", "jobs/studio", None),
        ("outlast-input", "jobs/studio/", None),
        ("outlast-input", "jobs/", None),
        ("outlast-input", "jobs//x", None),
        ("outlast-input", "jobs/Studio/x", None),
        ("outlast-input", "jobs/unknown/x", None),
        ("outlast-input", "jobs/studio/../film/x", None),
        ("outlast-input", "jobs/studio/./x", None),
        ("outlast-input", "jobs/studio/..", None),
        ("outlast-input", "jobs/studio/..x", "studio"),
    ],
)
def test_an_object_belongs_to_the_first_part_of_its_key_under_the_prefix(
    bucket: str, key: str, account: str | None
) -> None:
    assert Inputs("outlast-input", "jobs/").account_of(bucket, key) == account


def test_what_a_producer_is_to_call_its_object_is_found_again() -> None:
    key = input_key("jobs/", "studio", "t 1/in put.pdf")
    assert (key, account_of_input("jobs/", key)) == ("jobs/studio/t 1/in put.pdf", "studio")
    for account, name in (("Studio", "x"), ("studio", ""), ("studio", "/"), ("unknown", "x")):
        with pytest.raises(ValueError, match="wrong form"):
            input_key("jobs/", account, name)
