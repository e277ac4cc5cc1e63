"""A fresh bucket for each test, on the common stack or else on a server of this worker's own."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from shared.objects import Store
from tests.integration.objects.proxy import Proxy
from tests.integration.objects.servers import S3, OwnS3


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    """A server that all tests share and none disturbs."""
    stack = os.environ.get("OUTLAST_TEST_STACK")
    if stack:
        found = json.loads(Path(stack).read_text(encoding="utf-8"))["s3"]
        yield S3(**{name: found[name] for name in S3.__dataclass_fields__})
        return
    own = OwnS3(tmp_path_factory.mktemp("s3"))
    try:
        yield own.s3
    finally:
        own.close()


@pytest.fixture
def own_s3(tmp_path: Path) -> Iterator[OwnS3]:
    """A server of this test's own, to kill."""
    own = OwnS3(tmp_path)
    try:
        yield own
    finally:
        own.close()


@pytest.fixture
def store(s3: S3) -> Store:
    """A store on the server itself."""
    return s3.open()


@pytest.fixture
def bucket(store: Store) -> str:
    """The name of a fresh bucket."""
    name = f"test-{uuid4().hex}"
    store.ensure_bucket(name)
    return name


@pytest.fixture
def proxy(s3: S3) -> Iterator[Proxy]:
    """A proxy in front of the server."""
    proxy = Proxy(s3.endpoint)
    try:
        yield proxy
    finally:
        proxy.close()


@pytest.fixture
def faulty(s3: S3, proxy: Proxy) -> Store:
    """A store behind the proxy."""
    return s3.by_way_of(proxy.endpoint).open()
