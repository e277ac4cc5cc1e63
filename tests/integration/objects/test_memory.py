"""The memory of uploads and of a read, measured in a process of their own."""

import gc
import subprocess
import sys
import weakref

import pytest

from shared.objects import Store
from tests.integration.objects.proxy import Proxy, says
from tests.integration.objects.servers import PART, S3

MIB = 2**20
BEGIN = """
import re, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shared.errors import Failure
from shared.objects import Store
endpoint, region, access, bucket, part, in_flight, *rest = sys.argv[1:]
store = Store.open(
    endpoint, region, access, sys.stdin.read(), part_bytes=int(part), bytes_in_flight=int(in_flight)
)
piece = bytes(2**20)

def carry(name, mebibytes):
    with store.upload(bucket, name) as upload:
        for _ in range(mebibytes):
            upload.write(piece)
        upload.complete()
    assert store.digest(bucket, name).size == mebibytes * 2**20

def kib(name):
    # Not getrusage: its peak begins with what the process that started this one had.
    return int(re.search(name + r":\\s+([0-9]+) kB", Path("/proc/self/status").read_text())[1])
"""


def measured(s3: S3, bucket: str, program: str, *arguments: object, part: int = PART, parts: int = 8) -> int:
    """What a program prints that may hold so many parts at once."""
    given = [s3.endpoint, s3.region, s3.access_key, bucket, part, parts * part, *arguments]
    command = [sys.executable, "-c", BEGIN + program, *map(str, given)]
    done = subprocess.run(command, input=s3.secret_key, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_memory_does_not_grow_with_the_object(s3: S3, bucket: str) -> None:
    program = "carry('one', 1)\nbefore = kib('VmHWM')\ncarry('many', int(rest[0]))\nprint(kib('VmHWM') - before)"
    assert measured(s3, bucket, program, 160) <= 3 * PART // 1024 + 6 * 1024


def test_the_peak_of_a_large_object_is_that_of_a_small_one_of_two_parts(s3: S3, bucket: str) -> None:
    program = "carry('k', int(rest[0]))\nprint(kib('VmHWM'))"
    small, large = (measured(s3, bucket, program, mebibytes, part=8 * MIB) for mebibytes in (10, 300))
    assert max(small, large) <= 1.1 * min(small, large)


def test_an_object_of_one_part_takes_the_memory_of_its_bytes(s3: S3, bucket: str) -> None:
    program = """
carry('warm', 1)
before = kib('VmRSS')
uploads = [store.upload(bucket, str(number)) for number in range(40)]
for upload in uploads:
    upload.write(bytes(100_000))
print(kib('VmRSS') - before)
"""
    assert measured(s3, bucket, program) <= 2 * 40 * 100


# Uploads that begin after three others spent the budget (3 + 3 + 2) overdraw it by their first parts for a moment.
@pytest.mark.parametrize(("begin", "most"), [("together.wait()", 8), ("pass", 8 + 5)])
def test_fr61_eight_uploads_of_unknown_length_stay_within_the_budget(
    s3: S3, bucket: str, begin: str, most: int
) -> None:
    program = """
from threading import Barrier
together = Barrier(8)

def carry_one(number):
    with store.upload(bucket, str(number)) as upload:
        upload.write(piece)
        exec(rest[0])
        for _ in range(63):
            upload.write(piece)
        upload.complete()

threads = ThreadPoolExecutor(8)
list(threads.map(lambda number: carry(f'warm{number}', 1), range(8)))
before = kib('VmRSS')
list(threads.map(carry_one, range(8)))
assert kib('VmHWM') < 512 * 1024, kib('VmHWM')
print(kib('VmHWM') - before)
"""
    assert measured(s3, bucket, program, begin, parts=8) <= (most + 1) * PART // 1024


def test_a_failed_upload_gives_its_memory_back_while_its_failure_is_held(s3: S3, proxy: Proxy, bucket: str) -> None:
    proxy.fault("PUT", "/bad", says(403, "AccessDenied"))
    program = """
carry('warm', 1)
before = kib('VmRSS')
held = []
for _ in range(5):
    try:
        carry('bad', 40)
    except Failure as failure:
        held.append(failure)
assert len(held) == 5
print(kib('VmRSS') - before)
"""
    assert measured(s3.by_way_of(proxy.endpoint), bucket, program) <= PART // 1024


def test_an_upload_that_ended_gives_its_memory_back_at_once(store: Store, bucket: str) -> None:
    gc.disable()
    try:
        for complete in (True, False):
            upload = store.upload(bucket, "k")
            upload.write(bytes(2 * PART + 1))
            upload.complete() if complete else upload.abort()
            ended = weakref.ref(upload)
            del upload
            assert ended() is None
    finally:
        gc.enable()
