"""Ids of jobs and outputs in addresses that get a key."""

import pytest

from shared.errors import Failure
from shared.providers.fields import filled
from shared.reasons import Reason

TEMPLATE = "https://api.acme.example/v1/{job_path}/out/{output_id}?job={job_id}"


def test_an_id_of_any_form_stays_within_its_place() -> None:
    job, output = "models/a b/../..%2e?x=1&y#z@", "../0"
    with pytest.raises(Failure):
        filled(TEMPLATE, job, "0")
    address = filled(TEMPLATE, "models/a b/...?x=1&y#z@", output)
    assert address == (
        "https://api.acme.example/v1/models/a%20b/...%3Fx%3D1%26y%23z%40/out/..%2F0"
        "?job=models%2Fa%20b%2F...%3Fx%3D1%26y%23z%40"
    )


@pytest.mark.parametrize(("job", "output"), [("..", "0"), (".", "0"), ("a/../b", "0"), ("a/.", "0"), ("a", "..")])
def test_an_id_that_is_a_step_in_a_path_is_refused(job: str, output: str) -> None:
    with pytest.raises(Failure) as failure:
        filled(TEMPLATE, job, output)
    assert failure.value.reason is Reason.BLOCKED_ADDRESS
