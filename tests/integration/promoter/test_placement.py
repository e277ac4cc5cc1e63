"""The act of the promoter on a real store."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tenacity import retry, retry_if_exception, stop_after_delay, wait_fixed

from services.promoter.placement import Placement, place
from shared.errors import Failure
from shared.keys import facts_key
from shared.objects import Store
from shared.reasons import Next, Reason
from tests.integration.objects.heeding import heeding
from tests.integration.objects.proxy import Answer, Fault, Proxy, Request, lose_answer, says
from tests.integration.objects.test_upload import some, write

STAGED = "staging/task/1-lease"
BODY = some(200_000)
DIGEST = hashlib.sha256(BODY).hexdigest()
KEY = f"video/acme/op/1/0-{DIGEST}.mp4"


@pytest.fixture
def placement(store: Store, bucket: str) -> Placement:
    """What is to be placed, with its bytes in staging."""
    write(store, bucket, STAGED, BODY)
    return Placement(
        source=(bucket, STAGED, None),
        bucket=bucket,
        key=KEY,
        size=len(BODY),
        sha256=DIGEST,
        content_type="video/mp4",
        metadata={"sha256": DIGEST, "display-name": "Ein Föhn.mp4", "note": "https://host/x?sig=canary"},
        facts={"task_id": "task", "media": {"width": 640}},
    )


def failure_of(store: Store, placement: Placement) -> Failure:
    with pytest.raises(Failure) as caught:
        place(store, placement)
    return caught.value


def test_the_bytes_are_placed_with_their_facts_beside_them(store: Store, placement: Placement) -> None:
    placed = place(store, placement)
    head = store.stat(placement.bucket, KEY)
    assert head
    assert (placed.size, placed.sha256, placed.etag) == (len(BODY), DIGEST, head.etag)
    assert (head.content_type, head.metadata["display-name"]) == ("video/mp4", "Ein Föhn.mp4")
    with store.read(placement.bucket, facts_key(KEY)) as pieces:
        facts = json.loads(b"".join(pieces))
    assert (facts["schema"], facts["key"], facts["media"]) == (1, KEY, {"width": 640})


def test_no_url_comes_into_the_metadata(store: Store, placement: Placement) -> None:
    place(store, placement)
    head = store.stat(placement.bucket, KEY)
    assert head
    assert "canary" not in repr(head)


def test_placing_twice_copies_once_and_says_the_same(faulty: Store, proxy: Proxy, placement: Placement) -> None:
    assert place(faulty, placement) == place(faulty, placement)
    assert proxy.count("PUT", ".mp4") - proxy.count("PUT", ".outlast.json") == 1


@pytest.mark.parametrize("step", ["copy", "read", "facts"])
def test_a_stop_after_any_step_is_made_good_by_the_next_run(
    faulty: Store, proxy: Proxy, placement: Placement, step: str
) -> None:
    method, part = {"copy": ("PUT", ".mp4"), "read": ("GET", ".mp4"), "facts": ("PUT", ".outlast.json")}[step]
    proxy.fault(method, part, says(403, "AccessDenied"), times=1)
    assert failure_of(faulty, placement).reason is Reason.STORAGE_DENIED
    assert place(faulty, placement).sha256 == DIGEST
    assert faulty.stat(placement.bucket, facts_key(KEY))


@pytest.mark.parametrize("other", [b"", b"x" * 200_000, BODY[:-1]])
def test_other_bytes_at_the_key_are_replaced(store: Store, placement: Placement, other: bytes) -> None:
    store.put(placement.bucket, KEY, other, content_type="video/mp4", metadata={})
    assert place(store, placement).sha256 == DIGEST
    assert store.digest(placement.bucket, KEY).sha256 == DIGEST


def test_an_asset_outlives_its_staging_object(store: Store, placement: Placement) -> None:
    place(store, placement)
    store.delete(placement.bucket, STAGED)
    assert place(store, placement).sha256 == DIGEST


def test_a_staging_object_that_is_gone_is_lost(store: Store, placement: Placement) -> None:
    store.delete(placement.bucket, STAGED)
    failure = failure_of(store, placement)
    assert failure.reason is Reason.STAGING_LOST
    assert failure.evidence["object"] == STAGED
    assert store.stat(placement.bucket, KEY) is None


def test_a_staging_bucket_that_is_gone_is_not_a_lost_object(store: Store, placement: Placement) -> None:
    elsewhere = replace(placement, source=("there-is-no-such-bucket", STAGED, None))
    assert failure_of(store, elsewhere).reason is Reason.STORAGE_DENIED


def test_a_staging_object_that_was_replaced_is_lost_where_the_store_heeds_conditions(
    store: Store, faulty: Store, proxy: Proxy, placement: Placement
) -> None:
    proxy.fault("PUT", KEY, heeding(store))
    head = store.stat(placement.bucket, STAGED)
    assert head
    conditioned = replace(placement, if_match=head.etag)
    store.put(placement.bucket, STAGED, b"another", content_type="video/mp4", metadata={})
    failure = failure_of(faulty, conditioned)
    assert failure.reason is Reason.STAGING_LOST
    assert failure.evidence["error"] == "another object is in its place"
    assert store.stat(placement.bucket, KEY) is None
    store.put(placement.bucket, STAGED, BODY, content_type="video/mp4", metadata={})
    assert place(faulty, conditioned).sha256 == DIGEST


def test_one_flipped_bit_in_staging_is_never_placed_as_good(store: Store, placement: Placement) -> None:
    spoiled = bytes([BODY[0] ^ 1]) + BODY[1:]
    store.put(placement.bucket, STAGED, spoiled, content_type="video/mp4", metadata={})
    failure = failure_of(store, placement)
    assert failure.reason is Reason.COPY_MISMATCH
    assert failure.evidence["found_sha256"] == hashlib.sha256(spoiled).hexdigest()
    assert store.stat(placement.bucket, facts_key(KEY)) is None


def flip(request: Request) -> Answer:
    answer = request.forward()
    return replace(answer, body=bytes([answer.body[0] ^ 1]) + answer.body[1:])


def say_done(_: Request) -> Answer:
    return Answer(200, b"<CopyObjectResult><ETag>a</ETag></CopyObjectResult>")


def cut_short(request: Request) -> Answer:
    answer = request.forward()
    return replace(answer, body=answer.body[:-1])


@pytest.mark.parametrize(
    ("method", "fault"),
    [("GET", flip), ("GET", cut_short), ("GET", says(404, "NoSuchKey")), ("PUT", say_done)],
    ids=["one bit flipped", "one byte short", "gone at once", "never copied"],
)
def test_a_copy_that_does_not_read_back_right_is_no_success(
    faulty: Store, proxy: Proxy, placement: Placement, method: str, fault: Fault
) -> None:
    proxy.fault(method, KEY, fault)
    assert failure_of(faulty, placement).reason is Reason.COPY_MISMATCH
    assert faulty.stat(placement.bucket, facts_key(KEY)) is None


def test_a_copy_whose_answer_is_lost_is_looked_up(faulty: Store, proxy: Proxy, placement: Placement) -> None:
    proxy.fault("PUT", KEY, lose_answer, times=1)
    assert place(faulty, placement).sha256 == DIGEST
    assert proxy.count("PUT", ".mp4") - proxy.count("PUT", ".outlast.json") == 1


def test_an_error_inside_a_200_of_the_copy_places_nothing(faulty: Store, proxy: Proxy, placement: Placement) -> None:
    proxy.fault("PUT", KEY, says(200, "InternalError"))
    assert failure_of(faulty, placement).reason is Reason.STORAGE_UNAVAILABLE
    assert faulty.stat(placement.bucket, KEY) is None


@retry(
    retry=retry_if_exception(lambda e: isinstance(e, Failure) and e.reason.rule.next in {Next.PAUSE, Next.PLACE_AGAIN}),
    wait=wait_fixed(0.3),
    stop=stop_after_delay(60),
)
def place_as_the_stage_does(store: Store, placement: Placement) -> str:
    """Again after a fault: rclone meets several writers of one key with a 500, or with no object for a moment."""
    return place(store, placement).sha256


def test_two_promoters_at_once_place_one_object(store: Store, placement: Placement) -> None:
    with ThreadPoolExecutor(4) as pool:
        proven = list(pool.map(lambda _: place_as_the_stage_does(store, placement), range(4)))
    assert proven == [DIGEST] * 4
    assert place_as_the_stage_does(store, placement) == DIGEST
