"""Damaged files in a row, a sample of `make mutants`: each gets a verdict, and what is accepted decodes."""

from collections import Counter
from pathlib import Path

import pytest

from shared.reasons import Reason
from tests.media.damage import WAYS
from tests.mutants.making import Mutant, good_files, mutant
from tests.mutants.running import SecondOpinion, course, run_all

MUTANTS, SEED = 250, 1


def test_good_files_are_accepted_and_decode_by_other_code_too() -> None:
    with course() as here:
        tried = [Mutant(n, good.name, "none", good.kind, good.data) for n, good in enumerate(good_files())]
        results = [here.run(one) for one in tried]
    assert [(result.mutant.source, result.verdict.detail) for result in results if not result.verdict.accepted] == []
    assert [(result.mutant.source, result.fault) for result in results if result.fault] == []


def test_damaged_files_each_get_a_verdict_and_what_is_accepted_decodes_by_other_code() -> None:
    results = list(run_all(SEED, range(MUTANTS)))
    again = [
        f"make mutants SEED={SEED} CASE={result.mutant.number}: {result.fault}" for result in results if result.fault
    ]
    assert again == []
    assert [(result.mutant.number, result.verdict.detail) for result in results if result.is_death] == []
    ends = Counter(result.verdict.reason for result in results)
    assert ends[Reason.UNDECODABLE] > MUTANTS // 3
    assert ends[None] > MUTANTS // 10
    assert {result.mutant.way for result in results} == {way.__name__ for way in WAYS}


def test_a_mutant_is_made_again_from_its_seed_and_number() -> None:
    assert mutant(SEED, 7) == mutant(SEED, 7)
    assert mutant(SEED, 7).data != mutant(SEED + 1, 7).data


@pytest.mark.parametrize("kind", ["video", "image", "pdf", "archive", "text", "json"])
def test_the_second_opinion_is_against_a_file_that_does_not_decode(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"{\xff" * 100)
    opinion = SecondOpinion()
    assert opinion.ask(kind, path) not in {"ok", "the second opinion is gone"}
    opinion.close()
