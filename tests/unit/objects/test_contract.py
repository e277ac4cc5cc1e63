"""What we use of minio-py beyond its public interface is there, in the version we pin."""

import inspect
from importlib.metadata import requires, version

import pytest
from minio import Minio
from minio.credentials.providers import StaticProvider
from minio.datatypes import CompleteMultipartUploadResult, Part
from minio.error import InvalidResponseError, S3Error, ServerError

SIGNATURES = {
    "_create_multipart_upload": ["bucket_name", "object_name", "headers"],
    "_upload_part": ["bucket_name", "object_name", "data", "headers", "upload_id", "part_number"],
    "_complete_multipart_upload": ["bucket_name", "object_name", "upload_id", "parts", "ssec"],
    "_abort_multipart_upload": ["bucket_name", "object_name", "upload_id"],
    "_put_object": ["bucket_name", "object_name", "data", "headers", "query_params"],
    "_build_headers": ["host", "headers", "body", "creds"],
    "_url_open": [
        "method",
        "region",
        "bucket_name",
        "object_name",
        "body",
        "headers",
        "query_params",
        "preload_content",
        "no_body_trace",
    ],
    "_execute": [
        "method",
        "bucket_name",
        "object_name",
        "body",
        "headers",
        "query_params",
        "preload_content",
        "no_body_trace",
    ],
}


def test_minio_is_pinned_to_the_version_that_is_installed() -> None:
    pinned = [line for line in requires("outlast") or () if line.startswith("minio")]
    assert pinned
    assert pinned[0].partition(";")[0].strip() == f"minio=={version('minio')}"


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_private_method_takes_what_we_give(name: str) -> None:
    parameters = list(inspect.signature(getattr(Minio, name)).parameters)
    assert parameters == ["self", *SIGNATURES[name]]


def test_a_client_asks_the_provider_we_give_for_its_key() -> None:
    provider = StaticProvider("access", "secret")
    assert Minio("host", credentials=provider)._provider is provider


def test_the_results_have_the_fields_we_read() -> None:
    assert {"etag", "version_id"} <= set(CompleteMultipartUploadResult.__dataclass_fields__)
    assert list(Part.__dataclass_fields__)[:2] == ["part_number", "etag"]


def test_errors_have_the_fields_we_read() -> None:
    error = InvalidResponseError(404, "text/xml", "<Code>NoSuchKey</Code>")
    assert (error._code, error._body) == (404, "<Code>NoSuchKey</Code>")
    assert ServerError("x", 503).status_code == 503
    assert {"response", "code"} <= set(S3Error.__annotations__)
