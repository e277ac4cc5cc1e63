"""`outlast providers` tells what is known, reads answers as the services do, and shows no link and no key."""

import base64
import inspect
import json
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from outlast.cli.app import app
from outlast.cli.providers import COMMANDS, providers
from outlast.cli.providers.question import Question
from outlast.cli.providers.reading import understand
from services.ingest.webhooks.address import Callback, read_path
from services.ingest.webhooks.door_keys import read_keys
from shared.egress import Policy
from shared.errors import UsageError
from shared.messages import download_key, task_id_from
from shared.providers import Registry
from tests.faults.canary import CANARY, LINK, tells
from tests.unit.providers.samples import ENTRIES, SAMPLES, Sample, called

GROUP = typer.main.get_command(providers)
REGISTRY = Registry.load()
ENDED = datetime.now(UTC).replace(microsecond=0)
ACME = """\
name = "acme"
title = "Acme"
hosts = ["cdn.acme.example"]
[life]
url = 3600
[credential]
header = "Authorization"
prefix = "Bearer "
file = "{folder}/{{provider_account}}.key"
origins = ["https://api.acme.example"]
[record]
job_id = "id"
model = "made_by"
error = "fault"
filtered = ["moderated"]
gone = ["forgotten"]
limited = [1002]
refused = [1004]
message = "words"
completed_at = "ended"
output_id = "id"
output_kind = "kind"
output_error = "code"
output_expires_at = "ends"
[poll]
url = "https://api.acme.example/jobs/{{job_id}}"
[webhook]
scheme = "standard"
secret_file = "{folder}/{{provider_account}}.webhook"
[models."draft-*"]
life.url = 60
"""


def run(*words: object, **options: Any) -> Result:
    return CliRunner().invoke(app, ["providers", *map(str, words)], catch_exceptions=False, **options)


def refused(*words: object, **options: Any) -> str:
    with pytest.raises(UsageError) as error:
        run(*words, **options)
    assert not tells(str(error.value))
    return str(error.value)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "acme.toml").write_text(ACME.format(folder=tmp_path))
    return tmp_path


def tried(folder: Path, answer: object, *words: str) -> tuple[int, dict[str, Any]]:
    """What `test` tells of an answer, as JSON; nothing of it may be a link, in text neither."""
    text = json.dumps(answer)
    command = ("test", "acme", "--sample", "-", "--providers-dir", folder, *words)
    told, printed = run(*command, "--json", input=text), run(*command, input=text)
    assert told.exit_code == printed.exit_code
    assert not tells(told.output + printed.output)
    seen: dict[str, Any] = json.loads(told.stdout)
    assert seen["next"] in printed.stdout
    return told.exit_code, seen


def done(*outputs: object, **more: object) -> dict[str, Any]:
    return {"id": "job-1", "status": "succeeded", "ended": ENDED.isoformat(), "outputs": list(outputs), **more}


def link(host: str = "cdn.acme.example") -> str:
    return f"https://{host}{LINK}"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_has_an_example_of_its_own_options(name: str) -> None:
    text = inspect.getdoc(COMMANDS[name]) or ""
    block = re.search(r"\x08\n((?:.+\n?)+)", text)
    assert block
    known = {option for parameter in GROUP.commands[name].params for option in parameter.opts}  # type: ignore[attr-defined]
    found = re.findall(r"outlast providers [^|<]+", block[1].replace("\\\n", " ").replace("\n", " | "))
    assert found
    for words in map(shlex.split, found):
        assert words[2] == name
        assert {word for word in words if word.startswith("--")} <= known
    first, *rest = text.split("\n\n")
    assert first.endswith(".")
    assert max(len(line) for part in rest for line in part.splitlines()) <= 82


def test_without_a_command_every_entry_is_listed(folder: Path) -> None:
    for words in ((), ("list",)):
        lines = run(*words, "--providers-dir", folder).stdout.splitlines()
        assert {line.split()[0] for line in lines[1:]} == {*ENTRIES, "generic", "acme"}
    replicate = next(line for line in lines if line.startswith("replicate "))
    assert re.search("replicate +1 h +poll, webhook .standard. +yes +1 h +link +2026-12-01 +high +Replicate", replicate)
    told = [json.loads(line) for line in run("--json").stdout.splitlines()]
    assert {entry["provider"] for entry in told} == {*ENTRIES, "generic"}
    assert next(entry for entry in told if entry["provider"] == "bfl")["link_life_seconds"] == 600


def test_an_option_before_the_command_is_told_and_not_lost(folder: Path) -> None:
    assert "outlast providers show ..." in refused("--providers-dir", folder, "show", "acme")
    assert "outlast providers list ..." in refused("--json", "list")


def test_what_is_shown_is_all_that_is_known_with_how_sure_it_is() -> None:
    shown = json.loads(run("show", "fal", "--json").stdout)
    assert [fact["sure"] for fact in shown["facts"]] == [fact.sure for fact in ENTRIES["fal"].facts]
    text = run("show", "fal", env={"COLUMNS": "2000"}).stdout
    for fact in shown["facts"]:
        assert f"{fact['text']} [{fact['sure']}]" in text
    assert all(source in text for source in ENTRIES["fal"].sources)
    assert "record_url" in text
    assert "](" not in text


def test_an_entry_of_ones_own_is_called_so_also_where_it_takes_the_place_of_another(folder: Path) -> None:
    (folder / "runway.toml").write_text('name = "runway"\nextends = "runway"\nlife.url = 60\n')
    told = {name: json.loads(run("show", name, "--json", "--providers-dir", folder).stdout) for name in ENTRIES}
    assert [name for name, shown in told.items() if shown["is_own"]] == ["runway"]
    assert told["runway"]["link_life_seconds"] == 60
    shown = json.loads(run("show", "acme", "--json", "--providers-dir", folder, "--model", "draft-1").stdout)
    assert (shown["is_own"], shown["models_apart"], shown["link_life_seconds"]) == (True, ["draft-*"], 60)


def test_it_is_told_whether_key_and_secrets_are_where_they_are_looked_for(folder: Path) -> None:
    def states(account: str) -> list[tuple[str, str]]:
        shown = run("show", "acme", "--json", "--providers-dir", folder, "--provider-account", account).stdout
        assert not tells(shown)
        return [(Path(file["path"]).name, file["state"]) for file in json.loads(shown)["files"]]

    (folder / "main.key").write_text(f"{CANARY}\n")
    (folder / "main.webhook").write_text(f"whsec_{base64.b64encode(CANARY.encode()).decode()}\n")
    (folder / "empty.key").write_text("")
    (folder / "empty.webhook").write_text("not base64!\n")
    assert states("main") == [("main.key", "there"), ("main.webhook", "there")]
    assert states("empty") == [("empty.key", "Empty file"), ("empty.webhook", "A line is not base64")]
    assert states("none") == [(f"none.{end}", "No such file or directory") for end in ("key", "webhook")]
    assert all("no key file can belong" in state for _, state in states("../etc"))


@pytest.mark.parametrize("command", ["show", "test", "check", "webhook"])
def test_an_unknown_name_is_not_read_by_the_generic_entry(command: str) -> None:
    needed = {"check": ("--job", "1"), "webhook": ("--account", "studio")}.get(command, ())
    assert "Did you mean replicate?" in refused(command, "replicat", *needed)
    assert "`outlast providers` lists" in refused(command, "zzz", *needed)


def test_a_wrong_file_is_told_with_line_and_remedy_by_every_command(folder: Path) -> None:
    (folder / "acme.toml").write_text('name = "acme"\n[poll]\nstatuss = "x"\n')
    for words in ((), ("list",), ("show", "acme"), ("test", "acme"), ("check", "acme", "--job", "1")):
        where = ("--providers-dir", folder)
        told = refused(*words, *where)
        assert "acme.toml, line 3: poll.statuss: there is no such key; did you mean `status`?" in told


@pytest.mark.parametrize(
    ("answer", "said", "code", "then"),
    [
        ({"status": "running"}, "running", 0, "asked for again"),
        ({"status": "failed", "words": "no"}, "failed", 0, "provider_failed"),
        ({"status": "moderated"}, "filtered", 0, "provider_filtered"),
        ({"fault": "moderated"}, "filtered", 0, "provider_filtered"),
        ({"status": "forgotten"}, "gone", 1, "job_record_gone"),
        ({"status": "", "fault": 1002}, "limited", 1, "rate_limited"),
        ({"fault": 1004}, "refused", 1, "credential_refused"),
        ({"fault": 7}, "error", 1, "put its word into failed"),
        ({"status": "paused"}, "unknown", 1, "put its word into running"),
        ({"state": "running"}, "gone", 1, "Nothing stands at status = 'status', and no error either"),
        (done(), "done", 1, "nothing stands at outputs = 'outputs'"),
        (done({"id": "a", "code": "nsfw"}), "done", 1, "none of its outputs"),
        (done({"id": "a", "url": link()}), "done", 0, "1 output can be fetched"),
        (done({"id": "a", "url": link()}, {"id": "b", "code": "nsfw"}), "done", 0, "1 of 2 outputs can be fetched"),
        ([], "gone", 1, "Nothing stands at"),
        ("text", "gone", 1, "Nothing stands at"),
    ],
)
def test_what_an_answer_says_and_what_follows(folder: Path, answer: object, said: str, code: int, then: str) -> None:
    exit_code, seen = tried(folder, answer)
    assert (seen["said"], exit_code, seen["is_understood"]) == (said, code, code == 0)
    assert then in seen["next"]


def test_the_tasks_are_those_that_the_services_would_make(folder: Path) -> None:
    answer = done({"id": "a", "url": link(), "kind": "video/mp4"}, {"id": "b", "code": "nsfw"})
    words = ("--account", "studio", "--provider-account", "main")
    outputs = tried(folder, answer, *words)[1]["outputs"]
    for output in outputs:
        key = download_key("studio", "acme", "main", "job-1", output["output_id"])
        assert output["task_id"] == str(task_id_from(key))
    assert [output["kind"] for output in outputs] == ["video", None]
    without = tried(folder, {**answer, "id": None}, *words)[1]
    assert [output["task_id"] for output in without["outputs"]] == [None, None]
    assert "task ids are told with --job" in without["notes"]
    assert tried(folder, {**answer, "id": None}, *words, "--job", "job-1")[1]["outputs"] == outputs
    assert "task ids are told with --account" in tried(folder, answer)[1]["notes"]
    assert "the answer is about another job than was asked for" in tried(folder, answer, "--job", "2")[1]["notes"]


@pytest.mark.parametrize(
    ("url", "way", "fault"),
    [
        (link(), "link", None),
        (f"https://CDN.acme.example:8443{LINK}", "link", None),
        (f"data:image/png;base64,{CANARY}", "data link", None),
        (link("evil.example"), "", "host_not_listed"),
        (f"http://cdn.acme.example{LINK}", "", "blocked_address: scheme"),
        (f"https://{CANARY}@cdn.acme.example{LINK}", "", "blocked_address: userinfo"),
        (f"https://cdn.acme.example:22{LINK}", "", "blocked_address: port"),
        (f"file:///{CANARY}", "", "blocked_address: scheme"),
        (f"/{CANARY}/out.mp4", "", "blocked_address: scheme"),
        (None, "", "neither [content] nor [refresh]"),
    ],
)
def test_fr49_of_each_output_it_is_told_how_it_is_had_or_why_not(
    folder: Path, url: str | None, way: str, fault: str | None
) -> None:
    output = tried(folder, done({"id": "a", "url": url}))[1]["outputs"][0]
    assert output["way"] == way
    assert (fault or "") in (output["fault"] or "")
    assert (output["fault"] is None) == (fault is None)


def test_a_literal_address_of_our_own_network_is_refused(folder: Path) -> None:
    (folder / "any.toml").write_text('name = "any"\n[poll]\nurl = "https://api.acme.example/{job_id}"\n')
    for host in ("10.0.0.1", "[::1]", "169.254.169.254"):
        told = run(
            "test", "any", "--sample", "-", "--providers-dir", folder, input=json.dumps(done({"url": link(host)}))
        )
        assert "blocked_address: address" in told.stdout
        assert told.exit_code == 1


def test_a_link_is_told_by_its_host_and_what_it_gets_alone(folder: Path) -> None:
    output = tried(folder, done({"id": "a", "url": link()}))[1]["outputs"][0]
    assert (output["host"], output["is_listed"], output["needs_key"]) == ("cdn.acme.example", True, False)
    assert re.fullmatch("[0-9a-f]{64}", output["path_sha256"])
    (folder / "acme.toml").write_text(ACME.format(folder=folder).replace('["cdn.acme.example"]', "[]"))
    output = tried(folder, done({"id": "a", "url": link("api.acme.example")}))[1]["outputs"][0]
    assert (output["is_listed"], output["needs_key"]) == (None, True)


def test_parts_of_a_link_that_the_provider_repeats_are_cut_out(folder: Path) -> None:
    secret = LINK.split("/")[1]
    words = f"{link()} or {secret.upper()} or {LINK.partition('=')[2]}"
    answer = done({"id": link(), "url": link()}, status=f"bad {secret}", words=words, id=link())
    assert tried(folder, {**answer, "status": "succeeded"})[0] == 0
    assert tried(folder, {**answer, "fault": f"see {link()}"})[0] == 1
    assert tried(folder, {"status": "failed", "words": f"see {link()} and token={CANARY}"})[0] == 0


@pytest.mark.parametrize(
    ("url", "more", "seconds", "whence"),
    [
        (link(), {}, 3600, "policy"),
        (link(), {"ends": (ENDED + timedelta(seconds=90)).timestamp()}, 90, "event"),
        (f"{link()}&X-Amz-Signature=a&X-Amz-Date={ENDED:%Y%m%dT%H%M%SZ}&X-Amz-Expires=120", {}, 120, "s3_v4"),
    ],
)
def test_it_is_told_when_an_output_ends_and_where_that_is_known_from(
    folder: Path, url: str, more: dict[str, Any], seconds: float, whence: str
) -> None:
    output = tried(folder, done({"id": "a", "url": url, **more}))[1]["outputs"][0]
    ends = datetime.fromisoformat(output["expires_at"])
    assert ((ends - ENDED).total_seconds(), output["expires_from"]) == (seconds, whence)


def test_a_model_has_the_lives_that_its_entry_says(folder: Path) -> None:
    answer = done({"id": "a", "url": link()})
    for told in (tried(folder, answer, "--model", "draft-2"), tried(folder, {**answer, "made_by": "draft-3"})):
        ends = told[1]["outputs"][0]["expires_at"]
        assert datetime.fromisoformat(ends) == ENDED + timedelta(seconds=60)


@pytest.mark.parametrize("named", SAMPLES, ids=map(called, SAMPLES))
def test_every_sample_of_the_catalogue_is_read_as_the_services_read_it(named: tuple[str, Sample]) -> None:
    name, sample = named
    question = Question(name, sample["door"], None, "studio", "default", None, Policy())
    seen = understand(REGISTRY, question, sample["answer"], ENDED)
    assert not tells(repr(seen))
    if "then" in sample:
        follows = {"ask": "the job is asked for", "nothing": "nothing follows", "report": "The job"}
        assert follows[sample["then"]] in seen.next
    if seen.said not in ("hint", "challenge"):
        assert seen.said == sample["said"]
        assert len(seen.outputs) == len(sample.get("outputs", ()))


def test_a_challenge_and_a_webhook_about_no_job_are_told(tmp_path: Path) -> None:
    for name, body, said, code in (
        ("minimax", {"challenge": CANARY}, "challenge", 0),
        ("luma", {"state": "completed"}, "hint", 1),
    ):
        told = run("test", name, "--as", "webhook", "--sample", "-", "--json", input=json.dumps(body))
        assert (json.loads(told.stdout)["said"], told.exit_code) == (said, code)
        assert not tells(told.output)


def test_an_answer_to_which_the_expressions_cannot_be_applied_is_unreadable(folder: Path) -> None:
    text = ACME.format(folder=folder).replace('message = "words"', "message = \"join(',', words)\"")
    (folder / "acme.toml").write_text(text)
    code, seen = tried(folder, {"id": "1", "status": "failed", "words": 5})
    assert (code, seen["said"]) == (1, "unreadable")


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        ((), "", "Give --sample FILE"),
        (("--sample", "/nowhere"), "", "The sample cannot be read: No such file"),
        (("--sample", "-"), "{", "The sample is not JSON: Expecting property name enclosed in double quotes, line 1"),
        (("--sample", "-"), f'{{"{CANARY}": {CANARY}}}', "The sample is not JSON: Expecting value, line 1"),
        (("--sample", "-"), "[" * 200_000, "The sample is not JSON"),
        (("--sample", "-", "--as", "webhook"), '{"id": 1, "id": 2}', "duplicate_name"),
        (("--sample", "-", "--as", "refresh"), "{}", "has no table [refresh]. It has [poll], [webhook]."),
        (("--sample", "-", "--status", "200"), "{}", "--status and --header are for a poll"),
    ],
)
def test_a_sample_that_is_none_is_told_without_a_word_of_it(
    folder: Path, words: tuple[str, ...], text: str, told: str
) -> None:
    assert told in refused("test", "acme", "--providers-dir", folder, *words, input=text)


def test_a_poll_that_reads_the_head_alone_wants_status_and_headers() -> None:
    assert "give --status 200" in refused("test", "stability", "--sample", "-", input="{}")
    assert "NAME:VALUE" in refused("test", "stability", "--status", "200", "--header", "x")
    told = run("test", "stability", "--status", "200", "--header", "Finish-Reason: CONTENT_FILTERED")
    assert "filtered" in told.stdout


def test_an_entry_that_reads_nothing_has_nothing_to_try() -> None:
    assert "has no table [poll] or [webhook] or [refresh]." in refused("test", "openai-images", "--sample", "-")
    assert "has no table [poll] or [refresh]." in refused("check", "openai-images", "--job", "1")


def door(folder: Path, url: str = "https://hooks.studio.example/in/") -> dict[str, str]:
    return {"OUTLAST_WEBHOOK_URL": url, "OUTLAST_WEBHOOK_KEY_FILE": str(folder / "door.key")}


def test_the_address_for_webhooks_is_one_that_the_door_knows(folder: Path) -> None:
    assert run("webhook-key", folder / "door.key").exit_code == 0
    words = ("webhook", "acme", "--account", "studio", "--provider-account", "a b/c", "--providers-dir", folder)
    address = run(*words, env=door(folder)).stdout.strip()
    base, path = address[: len("https://hooks.studio.example/in")], address[len("https://hooks.studio.example/in") :]
    assert base == "https://hooks.studio.example/in"
    assert read_path(path.encode(), read_keys(folder / "door.key")) == Callback("studio", "acme", "a b/c")
    told = json.loads(run(*words, "--json", env=door(folder)).stdout)
    assert (told["address"], told["scheme"]) == (address, "standard")
    assert "a b/c" in json.dumps(told["files"])


def test_without_door_key_or_table_there_is_no_address(folder: Path) -> None:
    words = ("webhook", "acme", "--account", "studio", "--providers-dir", folder)
    assert "Set OUTLAST_WEBHOOK_URL and OUTLAST_WEBHOOK_KEY_FILE" in refused(*words, env={})
    assert "Cannot read the keys" in refused(*words, env=door(folder))
    assert "OUTLAST_WEBHOOK_URL: " in refused(*words, env=door(folder, f"nonsense {CANARY}"))
    (folder / "door.key").write_text("c2hvcnQ=\n")
    assert "is not base64 of at least 32 bytes" in refused(*words, env=door(folder))
    run("webhook-key", folder / "door.key", "--add")
    assert "has no table [webhook]" in refused("webhook", "runway", "--account", "studio", env=door(folder))


def test_a_key_of_the_door_is_for_its_owner_alone_and_never_lost_by_a_slip(folder: Path) -> None:
    file = folder / "door.key"
    assert run("webhook-key", file).exit_code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    (old,) = read_keys(file)
    assert "--add" in refused("webhook-key", file)
    assert run("webhook-key", file, "--add").exit_code == 0
    newest, *rest = read_keys(file)
    assert rest == [old] != [newest]
    assert file.stat().st_mode & 0o777 == 0o600
    assert "cannot be written" in refused("webhook-key", folder / "nowhere" / "door.key")


def test_a_producer_without_the_packages_of_the_services_is_told_what_to_install() -> None:
    program = (
        "import sys\n"
        "for name in ('jmespath', 'urllib3', 'psycopg', 'starlette', 'jwt'): sys.modules[name] = None\n"
        "from outlast.cli import main\n"
        "sys.argv = ['outlast', 'providers']\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'outlast[services]'" in done.stderr
