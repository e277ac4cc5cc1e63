"""The malware scan through a real clamd, and through ones that break."""

import socket
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from services.verifier.hooks import Subject
from services.verifier.hooks.clamd import Clamd
from services.verifier.hooks.scan import NOT_SCANNED, Scan
from shared.errors import Failure
from shared.reasons import Reason
from tests.faults.answers import raw
from tests.faults.scanner import MALWARE, NAME, OwnScanner
from tests.faults.server import FaultServer, Line, Script
from tests.integration.hooks.conftest import subject_of

MIB = 2**20
Subjects = Callable[[bytes], Subject]


@pytest.fixture
def file(tmp_path: Path) -> Subjects:
    return lambda data: subject_of(tmp_path / "copy", data)


def scan_at(address: str, *, seconds: float = 20.0, most_bytes: int = 100 * MIB) -> Scan:
    return Scan(Clamd(address, seconds), most_bytes)


def failure_of(scan: Scan, subject: Subject) -> Failure:
    with pytest.raises(Failure) as caught:
        scan.judge(subject)
    return caught.value


@pytest.mark.parametrize("size", [0, 1, 300_000])
def test_a_clean_file_passes_and_the_engine_is_told(scanner: OwnScanner, file: Subjects, size: int) -> None:
    opinion = scan_at(scanner.address).judge(file(bytes(size)))
    assert (opinion.hold, opinion.flags) == (False, ())
    assert str(opinion.evidence["engine"]).startswith("ClamAV 1.")


@pytest.mark.parametrize("before", [0, 100, 128 * 1024 - 7, 500_000])
def test_a_file_with_a_signature_is_infected_wherever_that_lies(
    scanner: OwnScanner, file: Subjects, before: int
) -> None:
    failure = failure_of(scan_at(scanner.address), file(bytes(before) + MALWARE + bytes(10)))
    assert (failure.reason, failure.evidence["malware"]) == (Reason.INFECTED, NAME)


@pytest.mark.parametrize("size", [2 * MIB + 1, 40 * MIB])
def test_a_file_over_the_scanners_stream_limit_is_held_and_neither_clean_nor_infected(
    scanner: OwnScanner, file: Subjects, size: int
) -> None:
    opinion = scan_at(scanner.address).judge(file(MALWARE + bytes(size - len(MALWARE))))
    assert (opinion.hold, opinion.flags) == (True, (NOT_SCANNED,))
    assert opinion.evidence["detail"] == "not scanned: larger than clamd's StreamMaxLength"


def test_a_file_that_the_scanner_only_looks_at_in_part_is_held(scanner: OwnScanner, file: Subjects) -> None:
    opinion = scan_at(scanner.address).judge(file(bytes(MIB + 1)))
    assert (opinion.hold, opinion.flags) == (True, (NOT_SCANNED,))
    assert "over a limit of clamd: Heuristics.Limits.Exceeded" in str(opinion.evidence["detail"])


def test_a_file_over_our_own_limit_is_held_and_not_even_sent(scanner: OwnScanner, file: Subjects) -> None:
    scan = scan_at(scanner.address, most_bytes=len(MALWARE) - 1)
    assert scan.judge(file(MALWARE)).evidence["detail"] == "not scanned: larger than OUTLAST_CLAMD_BYTES"


def test_a_scanner_that_is_gone_is_our_fault_until_it_is_back(file: Subjects) -> None:
    with OwnScanner() as mine:
        scan, subject = scan_at(mine.address), file(b"clean")
        scan.check()
        mine.kill()
        for ask in (scan.check, lambda: scan.judge(subject)):
            with pytest.raises(Failure) as caught:
                ask()
            assert caught.value.reason is Reason.SCANNER
        mine.start()
        scan.check()
        assert not scan.judge(subject).hold


def test_a_scanner_is_reached_over_tcp_too(file: Subjects) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with OwnScanner(f"TCPSocket {port}", "TCPAddr 127.0.0.1"):
        scan = scan_at(f"tcp:127.0.0.1:{port}")
        scan.check()
        assert failure_of(scan, file(MALWARE)).reason is Reason.INFECTED


def silent(line: Line) -> None:
    line.hold()


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        (raw(b""), "clamd: it hung up in the middle of an answer"),
        (raw(b"PO"), "clamd: it hung up in the middle of an answer"),
        (raw(b"x" * 100_000), "clamd: it hung up in the middle of an answer"),
        (raw(b"COMMAND READ TIMED OUT\0"), "clamd: COMMAND READ TIMED OUT"),
        (raw(b"\xff\x1b[31m https://h/ERROR\0"), "clamd: ??[31m https://h/ERROR"),
        (silent, "clamd: TimeoutError"),
        (Line.reset, "clamd: ConnectionResetError"),
    ],
)
def test_a_scanner_that_breaks_is_our_fault_and_its_words_are_bounded(script: Script, detail: str) -> None:
    with FaultServer(script, greets=True) as server:
        started = monotonic()
        with pytest.raises(Failure) as caught:
            scan_at(f"tcp:{server.host}:{server.port}", seconds=0.3).check()
    assert (caught.value.reason, caught.value.evidence) == (Reason.SCANNER, {"detail": detail})
    assert monotonic() - started < 5


def test_an_error_about_one_file_is_not_taken_for_clean(file: Subjects) -> None:
    def trouble(line: Line) -> None:
        line.send(b"ClamAV 1.4.6\0" if line.number == 0 else b"stream: Can't allocate memory ERROR\0")

    with FaultServer(trouble, greets=True) as server:
        failure = failure_of(scan_at(f"tcp:{server.host}:{server.port}"), file(b"x"))
    assert (failure.reason, failure.evidence["detail"]) == (
        Reason.SCANNER,
        "clamd: stream: Can't allocate memory ERROR",
    )


def test_a_hostile_name_of_a_signature_becomes_one_bounded_word(file: Subjects) -> None:
    def found(line: Line) -> None:
        line.send(b"ClamAV\0" if line.number == 0 else b"stream: https://h/?sig=x\n" + b"A" * 500 + b" FOUND\0")

    with FaultServer(found, greets=True) as server:
        failure = failure_of(scan_at(f"tcp:{server.host}:{server.port}"), file(b"x"))
    assert failure.evidence["malware"] == "https___h__sig_x_" + "A" * 83
