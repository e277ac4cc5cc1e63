"""Notifications of object stores in their dialects, as these stores send them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.messages import InputObject, Rejected, read_notification

MINIO = {
    "EventName": "s3:ObjectCreated:Put",
    "Key": "outlast-input/jobs/studio/t 1/in put.pdf",
    "Records": [
        {
            "eventVersion": "2.0",
            "eventSource": "minio:s3",
            "eventTime": "2026-12-01T09:00:00.000Z",
            "eventName": "s3:ObjectCreated:Put",
            "responseElements": {"x-amz-request-id": "17A"},
            "s3": {
                "s3SchemaVersion": "1.0",
                "configurationId": "Config",
                "bucket": {"name": "outlast-input", "arn": "arn:aws:s3:::outlast-input"},
                "object": {
                    "key": "jobs%2Fstudio%2Ft+1%2Fin+put.pdf",
                    "size": 7,
                    "eTag": "9BB58F26192E4BA00F01E2E7B136BBD8",
                    "contentType": "application/pdf",
                    "versionId": "v-1",
                    "sequencer": "17",
                },
            },
        }
    ],
}
CEPH = {
    "Records": [
        {
            "eventVersion": "2.2",
            "eventSource": "ceph:s3",
            "eventName": "ObjectCreated:Put",
            "s3": {
                "bucket": {"name": "outlast-input", "id": "x"},
                "object": {
                    "key": "jobs/studio/100%25+1/in put.pdf",
                    "size": 7,
                    "eTag": "9bb58f26192e4ba00f01e2e7b136bbd8",
                    "versionId": "",
                    "metadata": [],
                },
            },
            "eventId": "1",
        }
    ]
}
OSS = {
    "events": [
        {
            "eventName": "ObjectCreated:PutObject",
            "eventSource": "acs:oss",
            "eventVersion": "1.0",
            "oss": {
                "bucket": {"arn": "acs:oss:x:1:outlast-input", "name": "outlast-input", "virtualBucket": ""},
                "object": {
                    "deltaSize": 7,
                    "eTag": "9BB58F26192E4BA00F01E2E7B136BBD8",
                    "key": "studio/a+b%20.pdf",
                    "size": 7,
                },
                "ossSchemaVersion": "1.0",
            },
        }
    ]
}
ETAG = "9bb58f26192e4ba00f01e2e7b136bbd8"


def read(value: object) -> tuple[InputObject, ...]:
    return read_notification(json.dumps(value).encode()).created


def changed(value: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The same notification with other words in its record, or in the record's object."""
    copy: dict[str, Any] = json.loads(json.dumps(value))
    [record] = copy.get("Records") or copy["events"]
    told = (record.get("s3") or record.get("oss"))["object"]
    for name, word in changes.items():
        (record if name in record else told)[name] = word
    return copy


def test_aws_and_minio_encode_keys() -> None:
    assert read(MINIO) == (
        InputObject(bucket="outlast-input", key="jobs/studio/t 1/in put.pdf", version_id="v-1", etag=ETAG, size=7),
    )
    assert read(changed(MINIO, key="a%2Bb%C3%A9", eventSource="aws:s3"))[0].key == "a+bé"


def test_ceph_gives_keys_as_they_are_and_an_empty_version_where_there_is_none() -> None:
    [told] = read(CEPH)
    assert (told.key, told.version_id, told.pin) == ("jobs/studio/100%25+1/in put.pdf", None, ETAG)


def test_oss_gives_keys_as_they_are_and_its_etags_in_capitals() -> None:
    [told] = read(OSS)
    assert (told.key, told.pin) == ("studio/a+b%20.pdf", ETAG)


@pytest.mark.parametrize(
    "value",
    [
        {"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "outlast-input"},
        changed(MINIO, eventName="s3:ObjectRemoved:Delete"),
        changed(CEPH, eventName="ObjectRemoved:DeleteMarkerCreated"),
        changed(OSS, eventName="ObjectCreated:UploadPart"),
        changed(OSS, eventName="ObjectCreated:InitiateMultipartUpload"),
        changed(CEPH, key="jobs/studio/", size=0),
    ],
)
def test_what_made_no_object_is_ignored_and_counted(value: object) -> None:
    notification = read_notification(json.dumps(value).encode())
    assert (notification.created, notification.ignored) == ((), 1)


def test_several_records_are_read_and_counted_apart() -> None:
    records = [*MINIO["Records"], *CEPH["Records"], *changed(CEPH, eventName="ObjectRemoved:Delete")["Records"]]
    notification = read_notification(json.dumps({"Records": records}).encode())
    assert (len(notification.created), notification.ignored) == (2, 1)


def test_the_version_null_of_a_bucket_without_versions_is_none() -> None:
    assert read(changed(MINIO, versionId="null"))[0].version_id is None


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        {"Records": []},
        {"Records": {}},
        {"Records": [1]},
        {"Records": [{"eventName": "x"}] * 1001},
        changed(MINIO, key="%ff"),
        changed(MINIO, key="a%00b"),
        changed(MINIO, key=""),
        changed(MINIO, key=7),
        changed(MINIO, size=-1),
        changed(MINIO, size=2**70),
        changed(CEPH, eTag=""),
        changed(CEPH, key="k" * 2000),
        {"Records": [{"eventName": "ObjectCreated:Put"}]},
    ],
)
def test_what_is_no_notification_is_told_without_its_content(value: object) -> None:
    with pytest.raises(Rejected, match="wrong_schema") as rejected:
        read(value)
    assert "k" * 50 not in rejected.value.detail


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["Records", "events", "s3", "oss", "bucket", "object", "key", "name", "eventName"]),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_notification_or_rejected(value: object) -> None:
    try:
        read(value)
    except Rejected as rejected:
        assert rejected.reason in {"wrong_schema", "bad_number"}
