"""`outlast providers check`: one question with the real key, over real sockets, and what went wrong in words."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from outlast.cli.app import app
from shared.errors import UsageError
from shared.messages import download_key, task_id_from
from tests.faults.answers import answer, redirect, routes
from tests.faults.canary import CANARY, LINK, check_texts, tells
from tests.faults.server import FaultServer, Script

KEY = f"{CANARY}-key"
FRESH = "https://cdn.acme.example" + LINK
ENTRY = """\
name = "acme"
[credential]
header = "X-Key"
prefix = "Bearer "
file = "{folder}/{{provider_account}}.key"
{origins}
[record]
job_id = "id"
gone = ["forgotten"]
message = "words"
output_id = "id"
"""
POLL = '[poll]\nurl = "{base_url}/v1/jobs/{job_id}"\n'


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OUTLAST_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "default.key").write_text(f"{KEY}\n")
    return tmp_path


def entry(folder: Path, server: FaultServer, tables: str, origins: str = "") -> None:
    text = ENTRY.format(folder=folder, origins=origins) + tables
    (folder / "acme.toml").write_text(f'base_url = "{server.url("")}"\n' + text)


def check(folder: Path, server: FaultServer, *words: str, text: str | None = None, **settings: str) -> Result:
    pair = ":".join(map(str, server.pair))
    env = {"OUTLAST_EGRESS_ALLOW": pair, "OUTLAST_EGRESS_HTTP": "true", "OUTLAST_IDLE_SECONDS": "2", **settings}
    command = ["providers", "check", "acme", "--providers-dir", str(folder), "--job", "job/1", *words]
    result = CliRunner().invoke(app, command, input=text, env=env, catch_exceptions=False)
    assert not tells(result.output)
    return result


def asked(
    folder: Path, script: Script, *words: str, tables: str = POLL, **settings: str
) -> tuple[int, Mapping[str, Any]]:
    """Exit code and JSON of a check, and nothing of it in the text either."""
    with FaultServer(script) as server:
        entry(folder, server, tables)
        told = check(folder, server, *words, "--json", **settings)
        assert check(folder, server, *words, **settings).exit_code == told.exit_code
    return told.exit_code, json.loads(told.stdout)


def refused(folder: Path, server: FaultServer, *words: str, **options: Any) -> str:
    with pytest.raises(UsageError) as error:
        check(folder, server, *words, **options)
    check_texts(error.value)
    return str(error.value)


def says(value: object, *fields: str, status: int = 200) -> Script:
    return answer(json.dumps(value).encode(), "Content-Type: application/json", *fields, status=status)


DONE = says({"id": "job/1", "status": "succeeded", "outputs": [{"id": "a", "url": FRESH}]})


def test_the_provider_is_asked_once_with_the_key_and_its_answer_is_read(folder: Path) -> None:
    with FaultServer(DONE) as server:
        entry(folder, server, POLL)
        told = check(folder, server, "--account", "studio", "--json")
        (request,) = server.requests
    assert (request.method, request.target, request.headers["x-key"]) == ("GET", "/v1/jobs/job%2F1", f"Bearer {KEY}")
    seen = json.loads(told.stdout)
    assert (told.exit_code, seen["said"], seen["outputs"][0]["host"]) == (0, "done", "cdn.acme.example")
    task_id = task_id_from(download_key("studio", "acme", "default", "job/1", "a"))
    assert seen["outputs"][0]["task_id"] == str(task_id)


@pytest.mark.parametrize(
    ("script", "said", "words"),
    [
        (says({"error": KEY}, status=401), "credential_refused", "refused the key in {folder}/default.key (HTTP 401)"),
        (says({}, status=403), "credential_refused", "(HTTP 403)"),
        (says({}, status=404), "job_record_gone", "knows no such job (HTTP 404): the id is wrong"),
        (says({}, status=410), "job_record_gone", "(HTTP 410)"),
        (says({}, "Retry-After: 7", status=429), "rate_limited", "(HTTP 429): ask again in 7 s."),
        (says({}, status=429), "rate_limited", "ask again later."),
        (says({}, status=500), "source_unavailable", "is unavailable. (HTTP 500)"),
        (answer(f"<html>{CANARY}".encode()), "source_unavailable", "Seen: the job record is not JSON."),
        (redirect(f"http://127.0.0.1:9{LINK}", 301), "blocked_address", "OUTLAST_EGRESS_ALLOW"),
        (says({"status": "forgotten"}), "gone", "does not know the job"),
        (says({"status": "paused", "words": f"{KEY} {FRESH}"}), "unknown", "put its word into running"),
    ],
)
def test_what_the_provider_says_instead_is_told_in_words(folder: Path, script: Script, said: str, words: str) -> None:
    code, seen = asked(folder, script)
    assert (code, seen["said"]) == (1, said)
    assert words.format(folder=folder) in seen["next"]


def test_a_server_that_is_away_or_silent_is_told(folder: Path) -> None:
    with FaultServer(DONE) as server:
        entry(folder, server, POLL)
    told = check(folder, server)
    assert (told.exit_code, "source_unavailable" in told.stdout) == (1, True)
    code, seen = asked(folder, lambda line: line.hold(), OUTLAST_IDLE_SECONDS="0.3")
    assert (code, seen["said"]) == (1, "stalled")


def test_an_address_of_our_own_network_is_not_asked_unless_it_is_named(folder: Path) -> None:
    with FaultServer(DONE) as server:
        entry(folder, server, POLL)
        told = check(folder, server, OUTLAST_EGRESS_ALLOW="")
        assert server.connections == 0
    assert told.exit_code == 1
    assert "blocked_address" in told.stdout
    assert "named as ip:port in OUTLAST_EGRESS_ALLOW" in told.stdout


@pytest.mark.parametrize(
    ("text", "why"), [(None, "No such file or directory"), ("", "Empty file"), ("two\nlines", "Not one line of text")]
)
def test_without_a_key_nothing_is_asked_and_its_file_is_named(folder: Path, text: str | None, why: str) -> None:
    if text is not None:
        (folder / "other.key").write_text(text)
    with FaultServer(DONE) as server:
        entry(folder, server, POLL)
        told = refused(folder, server, "--provider-account", "other")
        assert server.connections == 0
    assert why in told
    assert f"{folder}/other.key" in told


def test_the_address_of_a_record_is_asked_where_it_lies_on_the_api_and_nowhere_else(folder: Path) -> None:
    with FaultServer(DONE) as server, FaultServer(DONE) as other:
        entry(folder, server, "[poll]\n", f'origins = ["{server.url("")}"]')
        assert "--record-url" in refused(folder, server)
        assert "does not lie on the API of acme" in refused(
            folder, server, "--record-url", "-", text=other.url(LINK) + "\n"
        )
        assert server.connections == other.connections == 0
        told = check(folder, server, "--record-url", "-", text=server.url(LINK) + "\n")
        assert (told.exit_code, server.requests[0].target) == (0, LINK)


def test_a_finished_job_is_followed_to_the_record_with_its_outputs(folder: Path) -> None:
    with FaultServer(
        lambda line: routes(
            {
                "/v1/jobs/job%2F1": says({"status": "succeeded", "at": server.url("/result")}),
                "/result": DONE,
            }
        )(line)
    ) as server:
        entry(folder, server, POLL + 'follow = "at"\n')
        assert check(folder, server).exit_code == 0
        assert [request.target for request in server.requests] == ["/v1/jobs/job%2F1", "/result"]


def test_of_an_output_in_place_of_a_record_only_the_head_is_read(folder: Path) -> None:
    tables = POLL + 'answer = "head"\nstatus = "status"\ndone = [200]\noutputs = "@"\nhas_links = false\n'
    content = '[content]\nurl = "{base_url}/v1/jobs/{job_id}"\n'
    code, seen = asked(folder, answer(CANARY.encode()), tables=tables + content)
    assert (code, seen["said"], seen["outputs"][0]["way"]) == (0, "done", "content endpoint")


def test_a_refresh_is_asked_in_its_own_way(folder: Path) -> None:
    tables = '[refresh]\nmethod = "POST"\nurl = "{base_url}/files/{output_id}"\nbody = { job = "{job_id}" }\n'
    with FaultServer(DONE) as server:
        entry(folder, server, POLL + tables)
        assert check(folder, server, "--as", "refresh", "--output", "a/b").exit_code == 0
        (request,) = server.requests
    assert (request.method, request.target, json.loads(request.body)) == ("POST", "/files/a%2Fb", {"job": "job/1"})


def test_an_entry_that_is_to_be_extended_is_not_asked(folder: Path) -> None:
    (folder / "acme.toml").write_text(
        f'name = "acme"\nextends = "openai-compatible"\ncredential.file = "{folder}/{{provider_account}}.key"\n'
    )
    with FaultServer(DONE) as server:
        assert "names no server" in refused(folder, server)
