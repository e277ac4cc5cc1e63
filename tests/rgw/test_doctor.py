"""The doctor on a store that has nearly everything, well and ill."""

from dataclasses import replace
from uuid import uuid4

import pytest
from minio import Minio
from minio.commonconfig import Filter
from minio.lifecycleconfig import Expiration, LifecycleConfig, Rule
from minio.versioningconfig import VersioningConfig

from deploy.local.object_store import REGION
from deploy.local.rgw import Rgw
from outlast.custody.doctor.finding import Finding
from outlast.custody.doctor.order import examined
from outlast.custody.doctor.scene import Buckets, Scene
from shared.objects import Store

PART = 5 * 2**20


@pytest.fixture
def s3(rgw: Rgw) -> Minio:
    return Minio(rgw.address().removeprefix("http://"), rgw.access_key, rgw.secret_key, secure=False, region=REGION)


@pytest.fixture
def scene(rgw: Rgw, s3: Minio) -> Scene:
    prefix = uuid4().hex[:12]
    buckets = Buckets(**{role: f"{prefix}-{role}" for role in Buckets().all})
    for bucket in buckets.all.values():
        s3.make_bucket(bucket)
    s3.set_bucket_versioning(buckets.assets, VersioningConfig("Enabled"))
    return Scene(opened(rgw, rgw.access_key, rgw.secret_key), opened(rgw, "", ""), buckets)


def opened(rgw: Rgw, access_key: str, secret_key: str) -> Store:
    return Store.open(rgw.address(), REGION, access_key, secret_key, part_bytes=PART)


def found(scene: Scene, *only: str) -> dict[str, Finding]:
    return {check.name: finding for check, finding in examined(scene, only)}


def test_a_store_in_good_order_has_no_error_and_keeps_nothing(scene: Scene, s3: Minio) -> None:
    seen = found(scene)
    assert {name: finding.seen for name, finding in seen.items() if finding.level == "error"} == {}
    assert seen["versions"].level == seen["copy-by-version"].level == seen["multipart-abort"].level == "ok"
    assert seen["content-md5"].level == seen["link-works-and-ends"].level == "ok"
    for bucket in scene.buckets.all.values():
        assert list(s3.list_objects(bucket, recursive=True, include_version=True)) == []


def test_a_rule_that_lets_staging_expire_is_an_error(scene: Scene, s3: Minio) -> None:
    rule = Rule("Enabled", rule_filter=Filter(prefix="staging/"), rule_id="weekly", expiration=Expiration(days=7))
    s3.set_bucket_lifecycle(scene.buckets.staging, LifecycleConfig([rule]))
    finding = found(scene, "lifecycle-spares-staging")["lifecycle-spares-staging"]
    assert finding.level == "error"
    assert "weekly" in finding.seen


def test_a_bucket_that_anybody_may_read_is_an_error(scene: Scene) -> None:
    open_one = scene.buckets.assets
    assert scene.store.ask("PUT", open_one, query={"acl": ""}, headers={"x-amz-acl": "public-read"}).good
    assert open_one in found(scene, "strangers-list")["strangers-list"].seen


def test_an_object_that_a_policy_gives_to_anybody_is_an_error(scene: Scene, s3: Minio) -> None:
    bucket = scene.buckets.assets
    s3.set_bucket_policy(
        bucket,
        '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["*"]},'
        f'"Action":["s3:GetObject"],"Resource":["arn:aws:s3:::{bucket}/*"]}}]}}',
    )
    assert bucket in found(scene, "strangers-read")["strangers-read"].seen


def test_a_missing_bucket_and_a_wrong_key_are_named(scene: Scene, rgw: Rgw) -> None:
    gone = replace(scene, buckets=replace(scene.buckets, input="there-is-no-such-bucket"))
    assert "there-is-no-such-bucket" in found(gone, "buckets-exist")["buckets-exist"].seen
    wrong = replace(scene, full_store=opened(rgw, rgw.access_key, "another-secret"))
    finding = found(wrong, "write-read-delete")["write-read-delete"]
    assert (finding.level, "storage_denied" in finding.seen) == ("error", True)
