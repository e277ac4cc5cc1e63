"""A provider's entry says no when it is wrong, at the start and not in the middle of the work."""

from pathlib import Path

import pytest

from shared.errors import UsageError
from shared.providers import Registry
from tests.conftest import ROOT

GOOD = """\
name = "acme"
[credential]
header = "x-api-key"
file = "/run/{provider_account}"
origins = ["https://api.acme.example", "https://api.acme.example:8443"]
[refresh]
url = "https://api.acme.example/{job_id}/{output_id}"
done = [true, "ok"]
limited = [1002, "1303"]
"""


def load(folder: Path, text: str) -> Registry:
    (folder / "acme.toml").write_text(text)
    return Registry.load(folder)


def test_words_may_be_written_as_text_or_as_what_they_are_in_json(tmp_path: Path) -> None:
    entry = load(tmp_path, GOOD).find("acme").refresh
    assert entry is not None
    assert (entry.done, entry.limited) == (("true", "ok"), ("1002", "1303"))


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('"https://api.acme.example"', '"https://api.acme.example/v1"', "an origin has no path"),
        ('"https://api.acme.example"', '"https://api.acme.example/"', "an origin has no path"),
        ('"https://api.acme.example"', '"https://api.acme.example#x"', "an origin has no path"),
        ('"https://api.acme.example"', '"api.acme.example"', "an origin is written as"),
        ('"https://api.acme.example"', '"https://*.acme.example"', "an origin is written as"),
        ('"https://api.acme.example"', '"https://u@api.acme.example"', "an origin is written as"),
        ('"x-api-key"', '"x api key"', "credential.header"),
        ("{job_id}", "{jobid}", "in braces stands only {job_id} or {job_path} or {output_id}"),
        ("{job_id}", "{job_id.x}", "in braces stands only"),
        ("{job_id}", "{", "in braces stands only"),
        ("{job_id}", "{}", "in braces stands only"),
        ("done =", "dona =", "refresh.dona"),
        ("done =", 'status = "["\ndone =', "refresh.status"),
        ("done =", 'credential_file = "/run/x"\ndone =', "refresh.credential_file"),
    ],
)
def test_a_wrong_entry_names_its_file_and_what_is_wrong(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    assert right in GOOD
    with pytest.raises(UsageError) as error:
        load(tmp_path, GOOD.replace(right, wrong))
    assert "acme.toml" in str(error.value)
    assert said in str(error.value)


def test_the_entry_of_the_documentation_is_one_that_can_be_loaded(tmp_path: Path) -> None:
    page = (ROOT / "docs/providers.md").read_text(encoding="utf-8")
    entry = load(tmp_path, page.partition("```toml\n")[2].partition("```")[0]).find("acme")
    assert entry.credential is not None
    assert entry.refresh is not None
