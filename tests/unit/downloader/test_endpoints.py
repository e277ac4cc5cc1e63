"""Content endpoints as sources: what is asked where, for which output, and whom a redirect may lead to."""

import json
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from services.downloader.endpoints import endpoint_of
from services.downloader.source import Source
from shared.egress import Policy
from shared.errors import Failure
from shared.providers.entry import Content
from shared.providers.keys import Key
from shared.reasons import Reason
from shared.tasks.claims import Claim
from tests.faults.canary import CANARY

END = datetime(2026, 3, 2, tzinfo=UTC)
KEY = Key({"x-key": f"{CANARY}-key"})
VERTEX: dict[str, Any] = {
    "method": "POST",
    "url": "https://api.example/v1:fetch",
    "body": {"operationName": "{job_id}", "which": "{output_id}"},
    "base64": "response.videos[{output_id}].bytes",
}


def claim(job_id: str = "job/1", output_id: str = "2") -> Claim:
    unknown: dict[str, Any] = {each.name: None for each in fields(Claim)}
    return Claim(**{**unknown, "job_id": job_id, "output_id": output_id, "deadline": END})


def source(output_id: str = "2", **content: Any) -> Source:
    return endpoint_of(Content.model_validate(content), claim(output_id=output_id), KEY)


def test_the_names_are_filled_in_quoted_in_the_address_and_as_they_are_in_the_body() -> None:
    found = source(**{**VERTEX, "url": "https://api.example/{job_id}/{job_path}/{output_id}?alt=media"})
    assert found.url == "https://api.example/job%2F1/job/1/2?alt=media"
    assert found.endpoint is not None
    assert found.endpoint.method == "POST"
    assert json.loads(found.endpoint.body or b"") == {"operationName": "job/1", "which": "2"}
    assert found.endpoint.base64 == "response.videos[2].bytes"
    assert (found.source_id, found.key, found.end(END)) == (None, KEY, END)
    assert CANARY not in repr(found)


def test_a_body_and_base64_are_json_unless_the_entry_says_otherwise() -> None:
    both = {"Accept": "application/json", "Content-Type": "application/json"}
    assert headers_of(**VERTEX) == both
    assert headers_of(url="https://api.example/v") == {}
    assert headers_of(**VERTEX, headers={"Accept": "x/y", "X-Version": "7"}) == {
        **both,
        "Accept": "x/y",
        "X-Version": "7",
    }


def headers_of(**content: Any) -> object:
    endpoint = source(**content).endpoint
    assert endpoint is not None
    return endpoint.headers


@pytest.mark.parametrize("output_id", ["", "last", "-1", "1.5", "007", "\u0661", "1" * 10, "0].x[0", CANARY])
def test_an_id_that_is_no_index_finds_nothing_in_a_list(output_id: str) -> None:
    with pytest.raises(Failure) as failure:
        source(output_id, **VERTEX)
    assert failure.value.reason is Reason.NO_OUTPUT
    assert CANARY not in str(failure.value.evidence)
    assert source(output_id, **{**VERTEX, "base64": "response.video"}).endpoint is not None


def test_an_endpoint_is_reached_and_may_redirect_to_the_hosts_of_its_provider_alone() -> None:
    found, anywhere, named = source(**VERTEX), Policy(), Policy(hosts=(".cdn.example",))
    assert found.within(anywhere) == anywhere
    assert [found.within(named).names(host) for host in ("api.example", "v.cdn.example", "other.example")] == [
        True,
        True,
        False,
    ]
    link = Source(uuid4(), "https://api.example/v.mp4?sig=1", key=KEY)
    assert link.within(named) == named, "whoever sent a link does not say where it may lie"
