"""Text, other bytes and types that a source declares, through the whole way: what is stored is what the bytes are."""

from tests.system.conftest import System, until
from tests.system.source import picture

TEXT = "A transcript, größer.\n".encode()
JSON = b'{"segments": [{"text": "hello"}]}'
BYTES = b"\x7fELF and anything else"
ERROR = b'{"error": {"message": "expired"}}'


def given(system: System, job: str, kind: str, body: bytes, declared: str) -> tuple[str, bytes]:
    """An event about a body that comes with a Content-Type."""
    system.source.trouble(f"given/{job}", lambda _: (200, {"Content-Type": declared}, body))
    return system.event(system.source.link(f"given/{job}"), job=job, kind=kind)


def test_fr33_fr34_fault107_each_is_stored_as_what_its_bytes_are_and_errors_are_not(system: System) -> None:
    system.start_all()
    system.publish(
        given(system, "text", "text", TEXT, "text/plain; charset=utf-8"),
        given(system, "json", "text", JSON, "application/json"),
        given(system, "bytes", "other", BYTES, "text/html"),
        given(system, "nothing-said", "image", picture("a"), "binary/octet-stream"),
        given(system, "another-type", "image", picture("b"), "TEXT/HTML"),
        given(system, "error", "text", ERROR, "text/plain"),
    )
    until(lambda: system.count("state = 'complete'") == 5, "all good ones are complete", 90)
    until(lambda: system.count("reason = 'error_body'") == 1, "the error is refused")
    told = {
        "text": ("text/plain", "text/plain", "txt"),
        "json": ("application/json", "application/json", "json"),
        "bytes": ("application/octet-stream", "text/html", "bin"),
        "nothing-said": ("image/png", "binary/octet-stream", "png"),
        "another-type": ("image/png", "text/html", "png"),
    }
    rows = system.rows("SELECT job_id, declared_type, facts, kind, durable_uri FROM tasks WHERE state = 'complete'")
    for job, declared, facts, kind, uri in rows:
        head = system.s3.stat_object(system.assets, uri.split("/", 3)[3])
        assert (head.content_type, declared, uri.rsplit(".")[-1]) == told[job]
        assert uri.startswith(f"s3://{system.assets}/{kind}/studio/{job}/")
        assert facts["declared_type"] == declared
    noted = {job: facts.get("notes", []) for job, _, facts, *_ in rows}
    assert {job for job, notes in noted.items() if "declared_type_differs" in notes} == {"another-type"}
    ((text,),) = system.rows("SELECT durable_uri FROM tasks WHERE job_id = 'text'")
    assert system.read(text) == TEXT
