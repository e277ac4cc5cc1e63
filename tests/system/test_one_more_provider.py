"""A provider that Outlast has never heard of is one file: webhook, poll, refresh and content endpoint, and no code."""

import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.answers import answer, redirect
from tests.faults.sender import Post, deliver_all
from tests.faults.server import Script
from tests.system.conftest import System, until
from tests.system.hooks import Hooks, hooks_of
from tests.system.provider import in_order
from tests.system.soundness import check_sound
from tests.system.source import CANARY, picture

SECRET = f"{CANARY}-hook"
SIXTEEN = """
name = "sixteen"
title = "The sixteenth"
base_url = "{origin}"
hosts = ["127.0.0.1"]

[credential]
header = "api-key"
file = "{folder}/{{provider_account}}.key"

[record]
job_id = "job.number"
status = "job.state"
running = ["MAKING"]
done = ["READY"]
outputs = "files"
output_id = "name"
output_url = "href"
completed_at = "job.ended"

[poll]
url = "{{base_url}}/jobs/{{job_id}}"
first_seconds = 0.2
every_seconds = 0.5
per_second = 20

[refresh]
url = "{{base_url}}/jobs/{{job_id}}"

[webhook]
scheme = "hmac"
secret_file = "{folder}/{{provider_account}}.sixteen"
signature = "X-Sixteen-Signature"
prefix = "v1="

[models."raw-*".record]
has_links = false

[models."raw-*".content]
url = "{{base_url}}/files/{{job_id}}-{{output_id}}"
"""


@pytest.fixture
def hooks(system: System) -> Iterator[Hooks]:
    with hooks_of(system) as found:
        folder = system.folder / "providers"
        text = SIXTEEN.format(origin=found.provider.api.url(""), folder=folder)
        (folder / "sixteen.toml").write_text(text)
        (folder / "default.sixteen").write_text(SECRET)
        yield found


def told(number: int, *links: str | None, state: str = "READY") -> dict[str, Any]:
    files = [{"name": f"out-{index}", "href": link} for index, link in enumerate(links)]
    return {"job": {"number": number, "state": state}, "files": files}


def says(record: dict[str, Any]) -> Script:
    return answer(json.dumps(record).encode())


def started(job: str, **data: Any) -> tuple[str, bytes]:
    kind = "outlast.generation.started"
    body = {"id": job, "source": "tests", "data": {"provider": "sixteen", "job_id": job, "kind": "image", **data}}
    return f"studio.{kind}", json.dumps({"specversion": "1.0", "type": kind, **body}).encode()


def signed(hooks: Hooks, record: dict[str, Any]) -> Post:
    body = json.dumps(record).encode()
    signature = hmac.digest(SECRET.encode(), body, "sha256").hex()
    return hooks.port(), hooks.path("sixteen"), {"X-Sixteen-Signature": f"v1={signature}"}, body


def test_a_sixteenth_provider_is_one_file(hooks: Hooks) -> None:
    system, provider = hooks.system, hooks.provider
    bodies = {job: picture(job) for job in ("1", "2", "3", "4")}
    provider.files |= {job: answer(body) for job, body in bodies.items()}
    provider.files["4-out-0"] = redirect(provider.link("4"))
    provider.files["old"] = answer(b"Request has expired", status=403)
    provider.jobs["2"] = in_order(says(told(2, state="MAKING")), says(told(2, provider.link("2"))))
    provider.jobs["3"] = says(told(3, provider.link("3")))
    provider.jobs["4"] = says(told(4, None))
    hooks.start()
    for service in ("downloader", "verifier", "promoter"):
        system.start(service)

    [hook] = deliver_all([lambda: signed(hooks, told(1, provider.link("1")))])
    [forged] = deliver_all([lambda: (*signed(hooks, told(1, provider.link("1")))[:3], b'{"job": {"number": 9}}')])
    assert (hook.statuses, forged.statuses) == ([200], [401])
    system.publish(
        started("2"),
        system.event(provider.link("old"), job="3", provider="sixteen", output_id="out-0", kind="image"),
        started("4", provenance={"model": "raw-1"}),
    )
    check_sound(system, bodies)
    until(lambda: system.rows("SELECT DISTINCT output_id FROM tasks") == [("out-0",)], "each is the provider's output")
    shown = {request.headers.get("api-key") for request in provider.api.requests}
    assert shown == {"KEY-default"}
    assert {request.headers.get("api-key") for request in provider.cdn.requests} == {None}
