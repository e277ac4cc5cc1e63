"""The servers of the tests of the object store."""

from tests.integration.objects.conftest import bucket, faulty, proxy, s3, store

__all__ = ["bucket", "faulty", "proxy", "s3", "store"]
