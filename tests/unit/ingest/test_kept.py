"""What is kept of free words: no link and no credential, and the rest as it was told."""

from hashlib import sha256
from typing import Any

from services.ingest.kept import kept_failure, kept_provenance
from shared.messages import OutputFailed, Provenance


def kept(**fields: Any) -> dict[str, Any]:
    return kept_provenance(Provenance.model_validate(fields))


def test_a_prompt_is_kept_as_it_is_with_its_digest() -> None:
    prompt = "A key: hidden in a box, and/or a sign? token of love\nslow zoom"
    assert kept(prompt=prompt) == {"prompt": prompt, "prompt_sha256": sha256(prompt.encode()).hexdigest()}


def test_a_link_in_any_word_is_cut_and_the_digest_stays_that_of_the_whole_prompt() -> None:
    prompt = "Animate https://cdn.example/a.png?sig=SECRETMARK please"
    found = kept(
        prompt=prompt,
        rights="licence at https://h.example/SECRETMARK",
        parameters={
            "image_url": "https://cdn.example/b.png?X-Amz-Signature=SECRETMARK",
            "deep": [{"u": "https%3A%2F%2Fh.example%2FSECRETMARK"}],
        },
    )
    assert "SECRETMARK" not in str(found)
    assert found["prompt"] == "Animate https://cdn.example/... please"
    assert found["prompt_sha256"] == sha256(prompt.encode()).hexdigest()


def test_a_credential_among_the_parameters_is_hidden_and_a_number_of_tokens_is_none() -> None:
    parameters = {"api_key": "KEYMARK", "max_tokens": 300, "seed": 7, "list": list(range(100))}
    assert kept(parameters=parameters)["parameters"] == {**parameters, "api_key": "[hidden]"}


def test_nothing_told_is_nothing_kept() -> None:
    assert kept() == {}


def test_a_providers_words_are_kept_without_links_and_credentials() -> None:
    data = OutputFailed(
        provider="p", job_id="j", code="E-7", message="see https://h.example/?key=KEYMARK api_key=KEYMARK"
    )
    found = kept_failure(data)
    assert found["code"] == "E-7"
    assert "KEYMARK" not in str(found)
    assert kept_failure(OutputFailed(provider="p", job_id="j")) == {}
