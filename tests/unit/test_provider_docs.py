"""The pages about providers and webhooks are what the code and the files of the providers say."""

import base64
import re
import subprocess
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Never

import pytest
from pydantic import BaseModel
from typer.testing import CliRunner

from outlast.catalogue.__main__ import files, write
from outlast.catalogue.reference import TOP, reference
from outlast.cli.app import app
from services.ingest.webhooks import Request, prove
from services.ingest.webhooks import answer as answers
from services.ingest.webhooks.unproven import Unproven, Why
from shared.providers import Provider, Registry
from shared.providers.entry import Fact
from shared.providers.registry import CATALOGUE
from shared.settings import DOORS, Settings
from tests.conftest import ROOT

DOCS = ROOT / "docs"
WRITTEN = files(DOCS)
NAMES = sorted(path.name.removesuffix(".toml") for path in CATALOGUE.iterdir() if path.name.endswith(".toml"))
PROVIDERS = (DOCS / "providers.md").read_text(encoding="utf-8")
WEBHOOKS = (DOCS / "webhooks.md").read_text(encoding="utf-8")
ENTRIES = {entry.name: entry for entry in Registry.load().all()}


@pytest.mark.parametrize("path", WRITTEN)
def test_a_committed_page_is_what_the_entries_say(path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == WRITTEN[path], "run `make docs`"


def test_each_file_of_the_catalogue_has_its_page_and_no_page_is_of_one_that_is_gone() -> None:
    assert sorted(path.stem for path in (DOCS / "providers").iterdir()) == NAMES == sorted(ENTRIES)


def test_writing_takes_away_what_is_gone_and_leaves_what_people_wrote(tmp_path: Path) -> None:
    (tmp_path / "providers").mkdir()
    (tmp_path / "providers" / "gone.md").write_text("old")
    emptied = re.sub(r"(make docs`: \w+ -->\n).*?(<!-- end)", r"\1\2", PROVIDERS, flags=re.DOTALL)
    assert len(emptied) < len(PROVIDERS) * 0.6
    (tmp_path / "providers.md").write_text(emptied, encoding="utf-8")
    write(tmp_path)
    assert (tmp_path / "providers.md").read_text(encoding="utf-8") == PROVIDERS
    assert sorted(path.stem for path in (tmp_path / "providers").iterdir()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_every_fact_with_how_sure_it_is_and_where_it_stands(name: str) -> None:
    page, entry = WRITTEN[f"providers/{name}.md"], ENTRIES[name]
    marks = {"documented": "read at the provider", "unverified": "**not verified**"}
    for fact in entry.facts:
        (line,) = [line for line in page.splitlines() if line.startswith("| " + fact.text.replace("|", "\\|"))]
        assert marks.get(fact.sure, "") in line
    assert all(source in page for source in entry.sources)
    assert f"Last checked {entry.last_checked}; confidence {entry.confidence}" in page


@pytest.mark.parametrize("name", NAMES)
def test_a_page_says_what_is_to_be_done(name: str) -> None:
    page, entry = WRITTEN[f"providers/{name}.md"], ENTRIES[name]
    if entry.credential:
        assert f"`{entry.credential.file}`" in page
    if entry.webhook:
        assert f"outlast providers webhook {name} " in page
    if entry.poll:
        assert "outlast.generation.started" in page
        assert ("as `record_url` the address" in page) == (entry.poll.url is None)
    assert ("Name your server" in page) == (
        name in ("azure-openai-video", "azure-openai-video-jobs", "openai-compatible", "vertex")
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_page_leads_to_a_file(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", WRITTEN[f"providers/{name}.md"]):
        assert target.startswith("https://") or (DOCS / "providers" / target).exists()


def keys(model: type[BaseModel]) -> Iterator[tuple[type[BaseModel], str]]:
    """Every key of a model and of those in it."""
    for name, field in model.model_fields.items():
        yield model, name
        for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from keys(kind)


def test_every_key_of_a_file_is_in_the_reference_with_its_meaning() -> None:
    told = reference()
    for model, name in [*keys(Provider), *keys(Fact)]:
        row = re.search(rf"^\| `{name}` \|.*\|.*\| (.+) \|$", told, re.M)
        assert row, f"{model.__name__}.{name}"
        assert row[1].strip(), f"{model.__name__}.{name} has no description"
    assert all(f"| `{name}` |" in told for name, *_ in TOP)
    assert told in PROVIDERS


def test_no_row_of_the_reference_is_empty() -> None:
    assert re.findall(r"^\|.*\|\s*\|$", reference(), re.M) == []


def test_the_correction_and_the_trial_of_the_page_are_what_the_command_does(tmp_path: Path) -> None:
    whole, correction = re.findall(r"```toml\n(.*?)```", PROVIDERS, re.DOTALL)
    (tmp_path / "acme.toml").write_text(whole)
    (tmp_path / "azure.toml").write_text(textwrap.dedent(correction))
    (answer,) = re.findall(r"```json\n(.*?)```", PROVIDERS, re.DOTALL)
    (tmp_path / "done.json").write_text(answer)
    ((words, output),) = re.findall(r"\$ outlast (providers test [^\n]*)\n(.*?)```", PROVIDERS, re.DOTALL)
    command = words.replace("entries", str(tmp_path)).replace("done.json", str(tmp_path / "done.json")).split()
    told = CliRunner().invoke(app, command, catch_exceptions=False)
    assert told.exit_code == 0
    assert without_now(textwrap.dedent(output.rstrip())) == without_now(told.stdout.rstrip())


def without_now(text: str) -> str:
    return re.sub(r"UTC, (in )?\d+ \w+( ago)?, by", "UTC, by", text)


def test_the_door_is_described_with_every_setting_and_every_answer() -> None:
    settings = [f"OUTLAST_{name.upper()}" for name in Settings.model_fields if name.startswith(("webhook", "doors"))]
    assert all(f"`{name}`" in WEBHOOKS for name in settings)
    assert set(re.findall(r"OUTLAST_(?:WEBHOOK|DOORS)\w*", WEBHOOKS)) == set(settings)
    assert f"`{','.join(DOORS)}`" in WEBHOOKS
    known = [value for value in vars(answers).values() if isinstance(value, answers.Answer)]
    for answer in [*known, answers.unreadable(""), answers.unproven("", is_malformed=False)]:
        assert f"\n| {answer.status} |" in WEBHOOKS
        assert answer.text.strip() in WEBHOOKS
    missing = {Why.MISSING_HEADER, Why.REPEATED_HEADER, Why.BAD_TIMESTAMP}
    assert all(f"`{why}`" in WEBHOOKS for why in set(Why) - missing)


@pytest.mark.parametrize("name", NAMES)
def test_each_provider_with_webhooks_has_its_row_with_what_proves_them(name: str) -> None:
    rows = [line for line in WEBHOOKS.splitlines() if line.startswith("| ") and f"`{name}`" in line]
    webhook = ENTRIES[name].webhook
    assert len(rows) == (1 if webhook else 0)
    assert all(webhook and f"`{webhook.scheme}`" in row for row in rows)


SECRET = b"a secret of thirty-two bytes...."


def test_fr45_the_signed_request_of_the_page_is_proven_and_another_body_is_not(tmp_path: Path) -> None:
    (script,) = re.findall(r"```sh\n(.*?)```", WEBHOOKS, re.DOTALL)
    (tmp_path / "secret").write_text(f"whsec_{base64.b64encode(SECRET).decode()}\n")
    ours = script.replace("/run/secrets/outlast/replicate/default.webhook", str(tmp_path / "secret"))
    assert ours != script
    stand_in = 'outlast() { echo https://hooks.example; }\ncurl() { printf "%s\\0" "$@"; }\n'
    said = subprocess.run(["bash", "-eu", "-c", stand_in + ours], capture_output=True, check=True).stdout
    words = said.decode().split("\0")
    sent = [word.encode().split(b": ") for before, word in pairwise(words) if before == "-H"]
    body = words[words.index("--data-binary") + 1].encode()
    webhook = ENTRIES["replicate"].webhook
    assert webhook
    assert words[1] == "https://hooks.example"
    headers = [(name, value) for name, value in sent]
    assert prove(webhook, Request.of(headers, body), [SECRET], NoKeys(), datetime.now(UTC), "").binds_body
    with pytest.raises(Unproven, match="bad_signature"):
        prove(webhook, Request.of(headers, body + b" "), [SECRET], NoKeys(), datetime.now(UTC), "")


class NoKeys:
    """Of a scheme that needs none."""

    def candidates(self, address: str, key_id: str | None) -> Iterator[Never]:
        raise AssertionError
