"""A webhook's table in a provider's file: what it must say."""

from typing import Any

import pytest
from pydantic import ValidationError

from shared.providers.webhook import Webhook

HMAC = {"scheme": "hmac", "job_id": "id", "secret_file": "/s", "signature": "X-Signature"}
JWT = {"scheme": "jwt", "job_id": "id", "jwks": "https://api.acme.example/jwks.json", "signature": "X-Token"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"signed": "{X-Time}"}, "{body} or {body_sha256}"),
        ({"signed": "body"}, "{body} or {body_sha256}"),
        ({"signed": "{body}{}"}, "names of headers"),
        ({"signed": "{body}{a b}"}, "names of headers"),
        ({"signed": "{body}{a:b:c}"}, "names of headers"),
        ({"prefix": "v1, "}, "no comma and no space"),
        ({"prefix": "HMAC "}, "no comma and no space"),
        ({"timestamp": "X-Time"}, "timestamp is of no use"),
        ({"timestamp": "X-Time", "signed": "{X-Times}{body}"}, "timestamp is of no use"),
        ({"signature": "X Signature"}, "String should match"),
        ({"signature": None}, "needs signature"),
        ({"secret_file": None}, "needs secret_file"),
        ({"job_id": None}, "job_id is missing"),
        ({"tolerance_seconds": 0}, "greater than 0"),
        ({"scheme": "ed25519"}, "needs jwks"),
        ({"scheme": "unsigned"}, "reports = false"),
        ({"scheme": "challenge", "reports": False}, "needs challenge"),
    ],
)
def test_a_table_that_would_prove_nothing_is_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as error:
        Webhook.model_validate({**HMAC, **fields})
    assert words in str(error.value)


@pytest.mark.parametrize(
    "fields",
    [
        {**HMAC, "signed": "{X-Sig:t},{body}", "timestamp": "X-Sig:t", "prefix": "v1=", "signature": "X-Sig"},
        {**HMAC, "signed": "{X-Id}\n{body_sha256}"},
        {**JWT, "prefix": "Bearer ", "body_claim": "body_sha256", "audience": "project-7"},
        {"scheme": "standard", "job_id": "id", "secret_file": "/s"},
        {"scheme": "unsigned", "job_id": "id", "reports": False},
    ],
)
def test_every_documented_form_is_a_table(fields: dict[str, Any]) -> None:
    assert Webhook.model_validate(fields).scheme == fields["scheme"]
