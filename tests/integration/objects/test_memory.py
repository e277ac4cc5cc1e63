"""The memory of an upload and of a read, measured in a process of their own."""

import subprocess
import sys

from tests.integration.objects.servers import PART, S3

PROGRAM = """
import resource, sys
from shared.objects import Store
endpoint, region, access, bucket, part, mebibytes = sys.argv[1:]
store = Store.open(endpoint, region, access, sys.stdin.read(), part_bytes=int(part))
piece = bytes(2**20)

def carry(size):
    with store.upload(bucket, str(size)) as upload:
        for _ in range(size):
            upload.write(piece)
        upload.complete()
    assert store.digest(bucket, str(size)).size == size * 2**20

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

carry(1)
before = peak()
carry(int(mebibytes))
print(peak() - before)
"""


def grown(s3: S3, bucket: str, mebibytes: int) -> int:
    """Mebibytes that the peak memory grew by when so many were written and read, beyond those of one."""
    arguments = [s3.endpoint, s3.region, s3.access_key, bucket, str(PART), str(mebibytes)]
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, input=s3.secret_key, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_memory_does_not_grow_with_the_object(s3: S3, bucket: str) -> None:
    two_parts = 2 * PART // 2**20
    assert grown(s3, bucket, 160) <= two_parts + 6
