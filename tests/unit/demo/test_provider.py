"""What the demo provider answers, and to whom."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deploy.local.demo.provider import DemoProvider, Offer
from deploy.local.demo.server import Reply

CANARY = "CANARY-77aa"
ORIGIN = "http://127.0.0.1:1"
START = datetime(2026, 12, 1, tzinfo=UTC)
GOOD = Offer("job 1", "a b.png", "image/png", b"picture", life=8)
LOST = Offer("job-2", "gone.mp4", "video/mp4", b"film", life=8, has_record=False)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def body(reply: Reply) -> bytes:
    whole = b"".join(reply.chunks)
    assert len(whole) == reply.size
    return whole


def get(provider: DemoProvider, link: str, authorization: str = "", method: str = "GET") -> Reply:
    return provider.answer(method, link.removeprefix(ORIGIN), authorization)


def test_a_link_gives_the_output_and_is_dead_after_its_life() -> None:
    clock = Clock()
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], clock)
    link = provider.link("job 1")
    reply = get(provider, link)
    assert (reply.status, reply.content_type, body(reply)) == (200, "image/png", b"picture")
    clock.now += timedelta(seconds=8)
    dead = get(provider, link)
    assert dead.status == 403
    assert b"<Message>Request has expired</Message>" in body(dead)


def test_a_link_made_in_the_past_is_dead_when_it_is_given_out() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], Clock())
    assert get(provider, provider.link("job 1", age=10)).status == 403


def test_a_head_request_is_refused_although_the_link_is_good() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], Clock())
    assert get(provider, provider.link("job 1"), method="HEAD").status == 403


def test_a_credential_together_with_a_signed_link_is_refused() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], Clock())
    assert get(provider, provider.link("job 1"), f"Bearer {provider.api_key}").status == 400


def test_the_job_record_gives_a_fresh_link_to_whoever_has_the_key() -> None:
    clock = Clock()
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], clock)
    provider.link("job 1")
    clock.now += timedelta(seconds=100)
    reply = get(provider, f"{ORIGIN}/v1/jobs/job%201", f"Bearer {provider.api_key}")
    record = json.loads(body(reply))
    assert (record["id"], record["status"]) == ("job 1", "succeeded")
    (output,) = record["outputs"]
    assert output["id"] == "0"
    assert datetime.fromisoformat(output["expires_at"]) == clock.now + timedelta(seconds=8)
    assert body(get(provider, output["url"])) == b"picture"
    assert provider.issued[1:] == [output["url"]]


def test_the_job_record_is_closed_without_the_right_key() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], Clock())
    for wrong in ("", "Bearer ", "Bearer other", provider.api_key, "Bearer é"):
        assert get(provider, f"{ORIGIN}/v1/jobs/job%201", wrong).status == 401
    assert provider.issued == []


def test_a_lost_job_has_no_record() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [LOST], Clock())
    assert get(provider, f"{ORIGIN}/v1/jobs/job-2", f"Bearer {provider.api_key}").status == 404
    assert get(provider, f"{ORIGIN}/v1/jobs/other", f"Bearer {provider.api_key}").status == 404


def test_a_file_on_disk_is_offered_whole(tmp_path: Path) -> None:
    file = tmp_path / "own.bin"
    file.write_bytes(bytes(range(256)) * 3000)
    provider = DemoProvider(CANARY, ORIGIN, [Offer("own", "own.bin", "application/octet-stream", file, 8)], Clock())
    assert body(get(provider, provider.link("own"))) == file.read_bytes()


def test_requests_are_counted_by_path_and_answer_without_the_secret() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], Clock())
    link = provider.link("job 1")
    get(provider, link)
    get(provider, link)
    get(provider, link, method="HEAD")
    assert provider.requests == {"GET /files/job%201/a%20b.png 200": 2, "HEAD /files/job%201/a%20b.png 403": 1}


def test_the_secret_is_in_every_link_and_in_the_key() -> None:
    provider = DemoProvider(CANARY, ORIGIN, [GOOD], Clock())
    assert CANARY in provider.link("job 1")
    assert CANARY in provider.api_key
