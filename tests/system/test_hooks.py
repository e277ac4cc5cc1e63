"""A malware scanner and a review hook in front of the durable store, and the person who releases what is held."""

import base64
import json
import os
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from standardwebhooks import Webhook

from tests.conftest import OUTLAST
from tests.faults.answers import answer
from tests.faults.scanner import MALWARE, OwnScanner
from tests.faults.server import FaultServer, Line
from tests.media.pictures import chunk
from tests.system.conftest import System, until
from tests.system.source import picture

SECRET = "whsec_" + base64.b64encode(os.urandom(24)).decode()
FLAGS = ["needs_redaction", "personal_data"]


class Reviewer:
    """Away at first; then it reads what it is asked about, lets the picture `clean` pass and holds any other."""

    def __init__(self) -> None:
        self.read: list[bytes] = []
        self.signatures: set[str] = set()

    def __call__(self, line: Line) -> None:
        Webhook(SECRET).verify(line.request.body, line.request.headers)
        link = json.loads(line.request.body)["url"]
        (signature,) = parse_qs(urlsplit(link).query)["X-Amz-Signature"]
        self.signatures.add(signature)
        if line.number < 2:
            answer(status=503)(line)
            return
        with urllib.request.urlopen(link, timeout=20) as found:
            self.read.append(found.read())
        verdict = "pass" if self.read[-1] == picture("clean") else "hold"
        answer(json.dumps({"verdict": verdict, "flags": FLAGS, "note": f"saw {signature}"}).encode())(line)


@contextmanager
def hooked(system: System) -> Iterator[tuple[OwnScanner, Reviewer]]:
    reviewer = Reviewer()
    (system.folder / "review").write_text(SECRET)
    with OwnScanner() as scanner, FaultServer(reviewer) as server:
        system.environment |= {
            "OUTLAST_CLAMD": scanner.address,
            "OUTLAST_REVIEW_URL": server.url("/review"),
            "OUTLAST_REVIEW_SECRET_FILE": str(system.folder / "review"),
        }
        yield scanner, reviewer
        system.stop_all()


def publish(system: System, name: str, body: bytes) -> None:
    system.source.trouble(f"picture/{name}", lambda _: (200, {}, body))
    system.publish(system.event(system.source.link(f"picture/{name}"), job=name, kind="image"))


def stands(system: System) -> dict[str, Any]:
    return dict(system.rows("SELECT job_id, coalesce(reason, state) FROM tasks"))


def release(system: System, job: str) -> None:
    ((task_id,),) = system.rows(f"SELECT task_id FROM tasks WHERE job_id = '{job}'")
    environment = {**os.environ, "OUTLAST_OPERATOR_DATABASE_URL": system.database.url("outlast_operator")}
    command = [OUTLAST, "release", str(task_id), "--why", "all staff", "--by", "kim"]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)


def test_what_the_hooks_hold_is_stored_when_a_person_releases_it_and_what_is_infected_never(system: System) -> None:
    infected = picture("bad")[:-12] + chunk(b"ouTl", MALWARE) + picture("bad")[-12:]
    with hooked(system) as (scanner, reviewer):
        system.start_all()
        scanner.kill()
        publish(system, "clean", picture("clean"))
        publish(system, "people", picture("people"))
        until(lambda: '"stage_paused"' in system.log("verifier"), "the stage waits for its scanner")
        scanner.start()
        publish(system, "bad", infected)
        wanted = {"clean": "complete", "people": "held_for_review", "bad": "infected"}
        until(lambda: stands(system) == wanted, "the hooks have decided", 90)
        assert system.count("verifications > 1 OR strikes > 0 OR tries > 0") == 0, "their absence charges nothing"
        release(system, "people")
        until(lambda: stands(system)["people"] == "complete", "what was released is stored")
        until(lambda: system.count("announce_at IS NOT NULL") == 0, "all is announced")
    assert infected not in reviewer.read, "the scan comes first"
    check_flags(system)
    check_silence(system, reviewer.signatures)


def check_flags(system: System) -> None:
    """The flags are in the announcements of both assets, and in the files beside them."""
    told = [json.loads(body)["data"] for key, body in system.messages("outlast.results") if key.startswith("asset")]
    assert sorted((data["job_id"], data["flags"]["contains"]) for data in told) == [("clean", FLAGS), ("people", FLAGS)]
    for data in told:
        assert json.loads(system.read(f"{data['uri']}.outlast.json"))["flags"] == FLAGS


def check_silence(system: System, signatures: set[str]) -> None:
    """No link that the reviewer got is in a log or a row, though it told them back."""
    logs = "".join(system.log(name) for name in system.processes)
    rows = str(system.rows("SELECT t, c, h FROM tasks t JOIN claims c USING (task_id) JOIN history h USING (task_id)"))
    assert len(signatures) >= 3
    assert [signature for signature in signatures if signature in logs + rows] == []
    assert "saw [cut]" in rows
