"""The vocabulary of reasons is complete and speaks to people."""

import pytest

from shared.reasons import RULES, Reason


def test_every_reason_has_a_rule() -> None:
    assert set(RULES) == set(Reason)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_sentence_a_person_can_read(reason: Reason) -> None:
    sentence = reason.rule.sentence
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert len(sentence) > 30
