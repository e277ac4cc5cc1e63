"""The sweeper on a store with versions that lists its uploads."""

from datetime import timedelta
from uuid import uuid4

import pytest
from minio.commonconfig import ENABLED
from minio.versioningconfig import VersioningConfig

from deploy.local.object_store import REGION
from deploy.local.rgw import Rgw
from shared.keys import staging_key
from shared.objects import Store
from tests.integration.custody.sweeping import Sweeping, told
from tests.integration.db.conftest import Accept, As, accept, as_role
from tests.integration.objects.servers import PART

__all__ = ["accept", "as_role"]


@pytest.fixture
def sweeping(rgw: Rgw, as_role: As, accept: Accept) -> Sweeping:
    secret = rgw.secret_key_file.read_text().strip()
    store = Store.open(rgw.address(), REGION, rgw.access_key, secret, part_bytes=PART)
    staging, assets = (f"test-{uuid4().hex}" for _ in range(2))
    for bucket in (staging, assets):
        store.ensure_bucket(bucket)
        store._wire.quick.set_bucket_versioning(bucket, VersioningConfig(ENABLED))
    return Sweeping(as_role, accept, store, staging, assets)


def test_every_version_and_every_deletion_mark_of_what_lost_goes_and_no_other(sweeping: Sweeping) -> None:
    claim, lost = sweeping.claimed()
    sweeping.put(lost)
    sweeping.store.delete(sweeping.staging, lost)
    sweeping.retried(claim)
    again, needed = sweeping.again()
    sweeping.staged(again, needed)
    assert told(sweeping.sweep()) == {("deleted", "superseded"): 3}
    assert [one.key for one in sweeping.store.listed(sweeping.staging)] == [needed]
    assert sweeping.sweep() == []


def test_uploads_that_nobody_names_are_aborted_after_the_grace_time_but_not_those_of_a_running_claim(
    sweeping: Sweeping,
) -> None:
    claim, running = sweeping.claimed()
    keys = [running, staging_key(uuid4(), 1, uuid4()), "staging/other", "staging/other"]
    for key in keys:
        sweeping.store._wire.quick._create_multipart_upload(sweeping.staging, key, {})
    assert claim.lease_id
    assert sweeping.sweep(later=timedelta(hours=23)) == []
    found = sweeping.sweep()
    assert {(one.name, one.fate, one.why) for one in found} == {
        (key, "deleted", "nobody names it") for key in set(keys[1:])
    }
    assert len(found) == 3
    assert [one.key for one in sweeping.store.begun_uploads(sweeping.staging)] == [running]
