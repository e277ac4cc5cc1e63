"""Files of providers: what they take from others, and errors that name file, line and remedy."""

from pathlib import Path

import pytest

from shared.errors import UsageError
from shared.providers import Provider, Registry

FILE = """\
name = "acme"
base_url = "https://api.acme.example"

[credential]
header = "x-api-key"
file = "/run/{provider_account}"

[record]
status = "state"
done = ["ok"]

[poll]
url = "{base_url}/jobs/{job_id}"
every_seconds = 3

[refresh]
url = "{base_url}/jobs/{job_id}"
done = ["still there"]

[webhook]
scheme = "hmac"
secret_file = "/run/{provider_account}.webhook"
signature = "X-Signature"
job_id = "id"

[models."turbo-2.*"]
poll.every_seconds = 1
life.url = 60
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "acme.toml").write_text(FILE)
    return tmp_path


def loaded(folder: Path, text: str, name: str = "mine") -> Provider:
    (folder / f"{name}.toml").write_text(text)
    return Registry.load(folder).find(name)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as error:
        loaded(folder, text, "acme")
    return str(error.value)


def test_what_stands_in_record_holds_for_every_door_unless_it_says_otherwise(folder: Path) -> None:
    entry = Registry.load(folder).find("acme")
    assert entry.poll is not None
    assert entry.refresh is not None
    assert entry.webhook is not None
    assert (entry.poll.status, entry.poll.done) == ("state", ("ok",))
    assert (entry.refresh.status, entry.refresh.done) == ("state", ("still there",))
    assert (entry.webhook.status, entry.webhook.done) == ("state", ("ok",))


def test_a_record_alone_opens_no_door(tmp_path: Path) -> None:
    entry = loaded(tmp_path, 'name = "mine"\n[record]\nstatus = "state"\n')
    assert (entry.poll, entry.refresh, entry.webhook) == (None, None, None)


@pytest.mark.parametrize(("model", "every", "life"), [("turbo-2.1", 1, 60), ("slow", 3, None), (None, 3, None)])
def test_of_some_models_an_entry_says_something_else(
    folder: Path, model: str | None, every: float, life: float | None
) -> None:
    entry = Registry.load(folder).find("acme", model)
    assert entry.poll is not None
    assert (entry.poll.every_seconds, entry.poll.done, entry.life.url) == (every, ("ok",), life)


def test_the_first_model_that_fits_counts(folder: Path) -> None:
    (folder / "acme.toml").write_text(FILE + '[models."*"]\nlife.url = 5\n')
    registry = Registry.load(folder)
    assert registry.find("acme", "turbo-2.0").life.url == 60
    assert registry.find("acme", "other").life.url == 5
    assert registry.find("acme").life.url is None


def test_an_entry_takes_over_another_and_says_where_it_differs(tmp_path: Path) -> None:
    entry = loaded(tmp_path, 'name = "mine"\nextends = "dashscope"\nbase_url = "https://dashscope.aliyuncs.com/"\n')
    assert entry.poll is not None
    assert entry.poll.url == "https://dashscope.aliyuncs.com/api/v1/tasks/{job_id}"
    assert (entry.name, entry.life.record, entry.poll.gone) == ("mine", 86400, ("UNKNOWN",))


def test_an_entry_may_take_over_one_that_took_over_another(tmp_path: Path) -> None:
    text = 'name = "mine"\nextends = "azure-openai-video"\nbase_url = "https://studio.openai.azure.com/openai"\n'
    entry = loaded(tmp_path, text)
    assert entry.content is not None
    assert entry.credential is not None
    assert entry.content.url == "https://studio.openai.azure.com/openai/v1/videos/{job_id}/content"
    assert (entry.credential.header, entry.credential.prefix) == ("api-key", "")


def test_an_entry_may_take_over_the_one_whose_name_it_has(tmp_path: Path) -> None:
    entry = loaded(tmp_path, 'name = "fal"\nextends = "fal"\nlife.url = 3600\n', "fal")
    assert entry.life.url == 3600
    assert entry.poll is not None


def test_a_base_url_stands_in_origins_and_bodies_too(tmp_path: Path) -> None:
    entry = loaded(tmp_path, 'name = "mine"\nextends = "kling"\nbase_url = "https://api-beijing.klingai.com"\n')
    assert entry.credential is not None
    assert entry.credential.origins == ("https://api-beijing.klingai.com",)


def test_three_files_of_an_openai_compatible_job_are_taken_as_its_entry_says(tmp_path: Path) -> None:
    entry = loaded(
        tmp_path,
        'name = "mine"\nextends = "openai-compatible"\nbase_url = "https://a.example"\n'
        "record.outputs = \"['video', 'thumbnail']\"\nrecord.output_id = \"@\"\n"
        'content.url = "{base_url}/v1/videos/{job_id}/content?variant={output_id}"\n',
    )
    assert entry.poll is not None
    assert (entry.poll.outputs, entry.poll.output_id) == ("['video', 'thumbnail']", "@")


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('signature = "X', 'signatur = "X', ["acme.toml, line 23: webhook.signatur: ", "did you mean `signature`?"]),
        ("every_seconds = 3", "every_seconds = 0", ["acme.toml, line 14: poll.every_seconds: "]),
        ('done = ["ok"]', 'dona = ["ok"]', ["acme.toml, line 10: poll.dona: ", "did you mean `done`?"]),
        (
            'status = "state"',
            'status = "["',
            ["acme.toml, line 9: poll.status: ", "acme.toml, line 9: refresh.status: "],
        ),
        ('header = "x-api-key"', "", ["acme.toml, line 4: credential.header: it is missing; add `header = ...`"]),
        ('job_id = "id"', "", ["acme.toml, line 20: webhook: job_id is missing"]),
        ('scheme = "hmac"', 'scheme = "md5"', ["acme.toml, line 21: webhook.scheme: "]),
        ("{job_id}", "{job}", ["acme.toml, line 13: poll.url: in braces stands only {job_id} or"]),
        ("{base_url}/jobs", "{base}/jobs", ["in braces stands only"]),
        (
            'base_url = "https://api.acme.example"\n',
            "",
            ["poll.url: {base_url} stands here, and the file says no base_url"],
        ),
        ("https://api.acme.example", "api.acme.example", ["acme.toml, line 13: poll.url: an address is written as"]),
        ("life.url = 60", "life.url = -1", ["acme.toml, line 28: life.url: "]),
        ("poll.every_seconds = 1", "poll.evry_seconds = 1", ["line 27: poll.evry_seconds: ", "`every_seconds`?"]),
        ('name = "acme"', 'nome = "acme"', ["acme.toml: name: it is missing", "line 1: nome: there is no such key"]),
        ('name = "acme"', 'name = "acme"\nextends = "fall"', ["acme.toml, line 2 extends an unknown entry", "fal, "]),
        ('name = "acme"', 'name = "acme"\nextends = ["fal"]', ["acme.toml, line 2 extends an unknown entry"]),
        ("[record]", "[recorded]", ["acme.toml, line 8: recorded: there is no such key; take it out"]),
        ('name = "acme"', "name = ", ["acme.toml is not TOML: ", "line 1"]),
        ('[models."turbo-2.*"]', "[models]\nturbo = 1", ["acme.toml is wrong: overrides stand in tables like"]),
        ('name = "acme"', 'name = "acme"\nlifes = 3', ["line 2: lifes: there is no such key; did you mean `life`?"]),
        ('name = "acme"', 'name = "acme"\nzzz = 3', ["line 2: zzz: there is no such key; take it out"]),
    ],
)
def test_an_error_names_file_line_and_remedy(folder: Path, right: str, wrong: str, said: list[str]) -> None:
    assert right in FILE
    told = refused(folder, FILE.replace(right, wrong))
    for part in said:
        assert part in told, told


def test_a_record_that_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"mine\.toml, line 2: record: there is no such key"):
        loaded(tmp_path, 'name = "mine"\nrecord = 3\n')


def test_every_fault_of_a_file_is_told_at_once(folder: Path) -> None:
    told = refused(folder, FILE.replace("every_seconds = 3", "every_seconds = 0").replace("hmac", "md5"))
    assert len(told.splitlines()) == 3


def test_a_fault_in_what_was_taken_over_is_told_of_the_file_that_took_it_over(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        loaded(tmp_path, 'name = "mine"\nextends = "kling"\nbase_url = "https://api.example/v1"\n')
    assert "mine.toml: credential.origins.0: an origin has no path" in str(error.value)


def test_two_files_of_one_entry_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"acme\.toml and other\.toml both are the entry of acme; keep one"):
        loaded(folder, FILE, "other")


def test_outputs_without_links_need_another_way_to_their_bytes(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has_links = false needs a table \[content\] or \[refresh\]"):
        loaded(tmp_path, 'name = "mine"\n[poll]\nurl = "https://a.example/{job_id}"\nhas_links = false\n')
