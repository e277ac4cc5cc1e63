"""Verdicts as they cross the socket: only the lawful ones are read."""

from typing import Any

import pytest
from pydantic import ValidationError

from services.verifier.facts import MAX_ANSWER_BYTES, REASONS, Facts, Verdict
from shared.reasons import Reason

FACTS: dict[str, Any] = {"kind": "image", "content_type": "image/png", "extension": "png", "container": "png"}


def test_a_verdict_survives_its_way_as_json() -> None:
    for verdict in (
        Verdict(facts=Facts.model_validate(FACTS | {"notes": ("a",)})),
        Verdict(reason=Reason.UNDECODABLE, check="x"),
    ):
        assert Verdict.model_validate_json(verdict.model_dump_json()) == verdict


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"facts": FACTS, "reason": "undecodable"},
        {"reason": "provider_failed"},
        {"reason": "storage_denied"},
        {"reason": "undecodable", "detail": "x" * 201},
        {"reason": "undecodable", "detail": "line\nbreak"},
        {"reason": "undecodable", "extra": 1},
        {"facts": FACTS | {"duration_seconds": "NaN"}},
        {"facts": FACTS | {"width": -1}},
        {"facts": FACTS | {"kind": "program"}},
        {"facts": FACTS | {"extension": "../x"}},
        {"facts": FACTS | {"content_type": "text/html; charset=utf-8"}},
        {"facts": FACTS | {"notes": ["x"] * 33}},
        {"facts": FACTS | {"rotation": 45}},
    ],
)
def test_an_unlawful_answer_is_no_verdict(answer: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Verdict.model_validate(answer)


def test_the_largest_lawful_verdict_fits_into_an_answer() -> None:
    word, words = "x" * 100, ("x" * 100,)
    facts = Facts.model_validate(
        FACTS
        | {"content_type": word, "extension": word, "container": word}
        | {"codecs": words * 64, "notes": words * 32, "checks": words * 32}
    )
    verdict = Verdict(facts=facts, check=word, detail="x" * 200, verifier_version="x" * 200)
    assert len(verdict.model_dump_json()) < MAX_ANSWER_BYTES


def test_no_reason_of_an_examination_is_our_own_fault() -> None:
    assert not [reason for reason in REASONS if reason.is_ours]
