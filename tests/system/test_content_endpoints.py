"""A provider's own API as the source, by link or by its entry: whose key goes where, and what its lack means."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from shared.providers.keys import OTHER_KEY
from tests.faults.answers import answer, redirect
from tests.faults.server import FaultServer, Line, Script
from tests.system.conftest import System, until
from tests.system.provider import SECRETS, Provider, hasten, in_order, provider_of, without_link, write_key
from tests.system.source import picture

PNG = picture("content")
OLD = "2026-01-01T00:00:00Z"
"""When outputs became ready whose refusals are none of a first moment."""
FILMS = """\
name = "films"
hosts = [{hosts}]
[credential]
header = "x-goog-api-key"
file = "{folder}/{{provider_account}}.key"
[content]
url = "{origin}/files/{{job_id}}"
"""
VEO = """\
name = "veo"
[credential]
header = "x-goog-api-key"
file = "{folder}/{{provider_account}}.key"
[content]
method = "POST"
url = "{origin}/files/operation"
body = {{ operationName = "{{job_id}}" }}
base64 = "response.videos[{{output_id}}].bytesBase64Encoded"
"""
TWO_CREDENTIALS = answer(b"<Error><Code>InvalidArgument</Code></Error>", status=400)


def storage(line: Line) -> None:
    """Signed links, at a store that refuses a second kind of credential."""
    (TWO_CREDENTIALS if SECRETS & set(line.request.headers) else answer(PNG))(line)


def only_with(key: str, then: Script, otherwise: int = 403) -> Script:
    """What the API answers to one key, and to no other."""
    refusal = answer(b'{"error": {"status": "PERMISSION_DENIED"}}', status=otherwise)
    return lambda line: (then if line.request.headers.get("x-goog-api-key") == key else refusal)(line)


@pytest.fixture
def stores() -> Iterator[tuple[FaultServer, FaultServer]]:
    with FaultServer(storage) as other_port, FaultServer(storage, host="127.0.0.2") as other_host:
        yield other_port, other_host


@pytest.fixture
def acme(system: System, stores: tuple[FaultServer, FaultServer]) -> Iterator[Provider]:
    with provider_of(system, *stores) as provider:
        yield provider


@pytest.fixture
def api(system: System, acme: Provider) -> Provider:
    """The same API, with entries that say how it gives the bytes of outputs which have no link."""
    folder = system.folder / "providers"
    names = {"folder": folder, "origin": acme.api.url(""), "hosts": '"127.0.0.2"'}
    for name, entry in (("films", FILMS), ("veo", VEO)):
        (folder / f"{name}.toml").write_text(entry.format(**names))
    return acme


def film(system: System, name: str, account: str = "main", **more: Any) -> tuple[str, bytes]:
    """The event of an output without a link."""
    return without_link(system, name, provider="films", provider_account=account, kind="image", **more)


def content(system: System, acme: Provider, name: str, **more: Any) -> tuple[str, bytes]:
    """The event of an output whose link is a content endpoint."""
    return system.event(acme.content(name), job=name, **{"provider": "acme", "provider_account": "main", **more})


def ends(system: System) -> dict[str, str]:
    return dict(system.rows("SELECT job_id, coalesce(reason, state) FROM tasks"))


def test_fr12_a_content_endpoint_is_shown_the_key_and_the_store_that_it_redirects_to_is_not(
    system: System, acme: Provider, stores: tuple[FaultServer, FaultServer]
) -> None:
    for name, store in zip(("port", "host"), stores, strict=True):
        acme.files[name] = only_with("KEY-main", redirect(store.url(f"/bucket/{name}.png?X-Amz-Signature=1")))
    system.start_all()
    system.publish(content(system, acme, "port", kind="image"), content(system, acme, "host", kind="image"))
    until(lambda: system.count("state = 'complete'") == 2, "both are complete")
    assert {system.read(uri) for (uri,) in system.rows("SELECT durable_uri FROM tasks")} == {PNG}
    seen = [request for store in stores for request in store.requests]
    assert len(seen) == 2
    assert not [request for request in seen if SECRETS & set(request.headers) or b"KEY-" in request.head]


def test_fr13_each_provider_account_has_its_own_key_and_no_other_finds_its_jobs(system: System, acme: Provider) -> None:
    write_key(system, "side")
    acme.files |= {name: only_with(f"KEY-{name}", answer(picture(name))) for name in ("main", "side")}
    acme.files["stolen"] = only_with("KEY-main", answer(PNG))
    system.start("ingest")
    system.start("downloader")
    system.publish(
        content(system, acme, "main"),
        content(system, acme, "side", provider_account="side"),
        content(system, acme, "stolen", provider_account="side"),
        content(system, acme, "nameless", provider_account="../side"),
    )
    until(lambda: system.count("state IN ('verifying', 'needs_attention')") == 4, "all came to their end")
    refused = "credential_refused"
    assert ends(system) == {"main": "verifying", "side": "verifying", "stolen": refused, "nameless": refused}
    assert [acme.keys_shown(f"/files/{name}") for name in ("main", "side")] == [{"KEY-main"}, {"KEY-side"}]
    assert acme.asked("/files/stolen") == 1, "a refusal of the key is no reason to ask again"
    assert acme.asked("/files/nameless") == 0
    kept = [str(row) for table in ("tasks", "claims", "history", "sources") for row in system.rows(f"TABLE {table}")]
    assert not [text for text in [*kept, system.log("downloader"), system.log("ingest")] if "KEY-" in text]


def test_a_missing_key_is_said_charges_nothing_and_needs_no_restart_when_it_comes(
    system: System, acme: Provider
) -> None:
    acme.files["late"] = only_with("KEY-late", answer(PNG))
    system.start("ingest")
    system.start("downloader")
    system.publish(content(system, acme, "late", provider_account="late"))
    until(lambda: ends(system) == {"late": "credential_missing"}, "it is said")
    assert system.rows("SELECT state, tries, wake_at > now() + interval '5 s' FROM tasks") == [
        ("download_retry", 0, True)
    ]
    ((evidence,),) = system.rows("SELECT evidence FROM claims WHERE reason = 'credential_missing'")
    assert "No such file" in evidence["why"]
    assert acme.asked("/files/late") == 0
    write_key(system, "late")
    hasten(system)
    until(lambda: system.count("state = 'verifying'") == 1, "it goes on")
    assert "handler_broke" not in system.log("downloader")


def test_fr76_a_job_that_a_swapped_key_does_not_find_is_a_question_of_the_key_and_not_lost(
    system: System, acme: Provider
) -> None:
    """The API says 404 to a foreign key, and so it does to its own one for a job that is gone."""
    acme.jobs["ours"] = only_with("KEY-main", answer(json.dumps({"status": "succeeded"}).encode()), otherwise=404)
    acme.files["ours"] = only_with("KEY-main", answer(PNG), otherwise=404)
    write_key(system, "side")
    system.start("ingest")
    system.start("downloader")
    dead = system.source.link("picture/x", life=-5)
    old = {"provider": "acme", "ready_at": "2026-01-01T00:00:00Z"}
    system.publish(system.event(dead, job="gone", provider_account="main", **old))
    until(lambda: ends(system) == {"gone": "job_record_gone"}, "with its own key a job that is gone is gone")
    write_key(system, "main", "KEY-side")
    write_key(system, "side", "KEY-main")
    system.publish(
        system.event(dead, job="ours", provider_account="main", **old),
        content(system, acme, "ours", output_id="1", ready_at="2026-01-01T00:00:00Z"),
    )
    until(lambda: system.count("reason = 'credential_refused'") == 2, "with a swapped key it is not")
    found = system.rows("SELECT evidence ->> 'why' FROM claims WHERE reason = 'credential_refused'")
    assert found == [(OTHER_KEY,)] * 2


def test_fr12_and_fr13_an_output_without_a_link_comes_from_the_endpoint_of_its_entry_with_its_accounts_key(
    system: System, api: Provider, stores: tuple[FaultServer, FaultServer]
) -> None:
    write_key(system, "side")
    for name, store in zip(("port", "host"), stores, strict=True):
        api.files[name] = only_with("KEY-main", redirect(store.url(f"/bucket/{name}.png?X-Amz-Signature=1")))
    api.files |= {"own": only_with("KEY-side", answer(PNG)), "stolen": only_with("KEY-main", answer(PNG))}
    system.start_all()
    system.publish(*(film(system, name) for name in ("port", "host")))
    system.publish(*(film(system, name, "side") for name in ("own", "stolen")))
    until(lambda: system.count("state IN ('complete', 'needs_attention')") == 4, "all came to their end")
    assert ends(system) == {"port": "complete", "host": "complete", "own": "complete", "stolen": "credential_refused"}
    uris = system.rows("SELECT durable_uri FROM tasks WHERE state = 'complete'")
    assert {system.read(uri) for (uri,) in uris} == {PNG}
    seen = [request for store in stores for request in store.requests]
    assert len(seen) == 2
    assert not [request for request in seen if SECRETS & set(request.headers) or b"KEY-" in request.head]
    assert [api.keys_shown(f"/files/{name}") for name in ("port", "own")] == [{"KEY-main"}, {"KEY-side"}]
    assert api.asked("/files/stolen") == 1, "a refusal of the key is no reason to ask again"
    kept = [str(row) for table in ("tasks", "claims", "history", "sources") for row in system.rows(f"TABLE {table}")]
    assert not [text for text in [*kept, system.log("downloader"), system.log("ingest")] if "KEY-" in text]


def test_outputs_in_base64_in_the_answer_to_a_post_are_captured_each_by_its_index(
    system: System, api: Provider
) -> None:
    asked: list[tuple[str, Any]] = []
    videos = [{"bytesBase64Encoded": b64encode(picture(name)).decode()} for name in ("first", "second")]

    def operation(line: Line) -> None:
        asked.append((line.request.method, json.loads(line.request.body)))
        answer(json.dumps({"done": True, "response": {"videos": [*videos, None]}}).encode())(line)

    api.files["operation"] = only_with("KEY-main", operation)
    system.start_all()
    outputs = ("0", "1", "2", "last")
    more = {"provider": "veo", "provider_account": "main", "kind": "image"}
    system.publish(*(without_link(system, "models/veo/operations/7", output, **more) for output in outputs))
    until(lambda: system.count("state IN ('complete', 'needs_attention')") == 4, "all came to their end")
    found = system.rows("SELECT output_id, coalesce(reason, state), durable_uri FROM tasks ORDER BY output_id")
    assert [row[:2] for row in found] == [
        ("0", "complete"),
        ("1", "complete"),
        ("2", "no_output"),
        ("last", "no_output"),
    ]
    assert [system.read(uri) for _, _, uri in found[:2]] == [picture("first"), picture("second")]
    assert asked == [("POST", {"operationName": "models/veo/operations/7"})] * 3
    told = system.rows("SELECT evidence ->> 'why' FROM claims WHERE reason = 'no_output' ORDER BY 1")
    assert told == [
        ("response.videos[2].bytesBase64Encoded is absent",),
        ("the output's id is no index, as the provider's answer needs one",),
    ]


def test_an_endpoint_is_asked_again_while_it_may_help_and_not_for_ever(system: System, api: Provider) -> None:
    late = answer(b'{"status": "in-progress"}', "Retry-After: 1", status=202)
    refused = redirect(api.cdn.url("/files/refused"))
    api.files |= {
        "late": in_order(late, late, answer(PNG)),
        "once": in_order(refused, answer(PNG)),
        "gone": answer(b'{"error": "no such video"}', status=404),
        "refused": answer(b"<Error><Code>AccessDenied</Code></Error>", status=403),
    }
    system.start("ingest")
    system.start("downloader")
    system.publish(*(film(system, name, ready_at=OLD) for name in ("late", "once", "gone")))
    until(lambda: system.count("state IN ('verifying', 'needs_attention')") == 3, "all came to their end")
    assert ends(system) == {"late": "verifying", "once": "verifying", "gone": "source_gone"}
    assert [api.asked(f"/files/{name}") for name in ("late", "once", "gone")] == [3, 2, 2]
    assert api.pauses("/files/late")[0] >= 1.0


def test_an_endpoint_is_the_way_when_no_link_of_the_output_is_good_and_is_left_alone_while_one_is(
    system: System, api: Provider
) -> None:
    api.files |= {name: only_with("KEY-main", answer(picture(name))) for name in ("dead", "ended", "good")}
    links = {
        "dead": system.source.link("nothing/dead"),
        "ended": system.source.link("picture/ended", life=-5),
        "good": system.source.link("picture/good"),
    }
    entry = system.folder / "providers" / "films.toml"
    entry.write_text(entry.read_text().replace("127.0.0.2", "127.0.0.1"))
    films = {"provider": "films", "provider_account": "main", "ready_at": OLD, "kind": "image"}
    system.start_all()
    system.publish(*(system.event(link, job=name, **films) for name, link in links.items()))
    until(lambda: system.count("state = 'complete'") == 3, "all are complete")
    assert [api.asked(f"/files/{name}") for name in links] == [1, 1, 0]


def test_a_missing_key_of_an_endpoint_is_said_and_needs_no_restart_when_it_comes(system: System, api: Provider) -> None:
    api.files["late"] = only_with("KEY-late", answer(PNG))
    system.start("ingest")
    system.start("downloader")
    system.publish(film(system, "late", "late"))
    until(lambda: ends(system) == {"late": "credential_missing"}, "it is said")
    assert api.asked("/files/late") == 0
    write_key(system, "late")
    hasten(system)
    until(lambda: system.count("state = 'verifying'") == 1, "it goes on")
