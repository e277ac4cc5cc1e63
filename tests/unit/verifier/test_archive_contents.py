"""What lies in an archive: programs and macros are refused, scripts and closed boxes are noted, names come once."""

from collections.abc import Callable

import pytest

from services.verifier.facts import Facts, Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import archive, twice, zip64

MZ = b"MZ\x90\0\x03" + bytes(100)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
TYPES = b'<Types><Override ContentType="application/vnd.ms-word.document.%s.main+xml"/></Types>'


@pytest.mark.parametrize(
    "start",
    [MZ, b"\x7fELF\x02\x01\x01", bytes.fromhex("cffaedfe"), bytes.fromhex("cafebabe"), b"dex\n035\0"],
    ids=["windows", "linux", "macos", "java", "android"],
)
def test_a_program_is_active_content_whatever_its_name(start: bytes, examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive({"holiday.jpg": start + bytes(64)}), Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "zip_content")


@pytest.mark.parametrize("name", ["a.exe", "a.BAT", "x/a.ps1", "a.jpg.vbs", "a.lnk", "a.msi", "a.hta"])
def test_the_name_of_a_program_is_active_content(name: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive({name: b"harmless"}), Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "zip_entries")


@pytest.mark.parametrize("depth", [1, 2])
def test_a_program_in_an_archive_in_an_archive_is_found(depth: int, examine: Callable[..., Verdict]) -> None:
    data = archive({"inner": MZ})
    for _ in range(depth):
        data = archive({"inner.zip": data})
    assert examine(data, Kind.ARCHIVE).reason is Reason.ACTIVE_CONTENT


@pytest.mark.parametrize(
    "files", [{"a.js": b"1"}, {"a.py": b"1"}, {"run": b"#!/bin/sh\n"}, {"page.html": b"<html>"}, {"a.svg": b"<svg/>"}]
)
def test_scripts_are_noted(files: dict[str, bytes], accepted: Callable[..., Facts]) -> None:
    assert accepted(archive(files), Kind.ARCHIVE).notes == ("scripts_inside",)


@pytest.mark.parametrize("start", [b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", OLE])
def test_what_is_not_looked_into_is_noted(start: bytes, accepted: Callable[..., Facts]) -> None:
    assert accepted(archive({"a": start + bytes(64)}), Kind.ARCHIVE).notes == ("not_looked_into",)


@pytest.mark.parametrize(
    "name",
    [
        "word/vbaProject.bin",
        "xl/VBAPROJECT.BIN",
        "ppt/vbaData.xml",
        "any/where/vbaProject.bin",
        "xl/macrosheets/sheet1.xml",
        "word/activeX/activeX1.bin",
        "Basic/script-lc.xml",
    ],
)
@pytest.mark.parametrize("is_nested", [False, True])
def test_macros_of_any_office_form_are_active_content(
    name: str, is_nested: bool, examine: Callable[..., Verdict]
) -> None:
    data = archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>", name: b"macro"})
    found = examine(archive({"report.docx": data}) if is_nested else data, Kind.ARCHIVE)
    assert found.reason is Reason.ACTIVE_CONTENT


def test_an_office_file_that_declares_macros_is_active_content(examine: Callable[..., Verdict]) -> None:
    data = archive({"[Content_Types].xml": TYPES % b"macroEnabled", "word/document.xml": b"<w/>"})
    verdict = examine(data, Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "office_file")


def test_two_entries_of_one_name_are_unsafe(examine: Callable[..., Verdict]) -> None:
    verdict = examine(twice("a.txt"), Kind.ARCHIVE)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "two entries have one name")


@pytest.mark.parametrize("name", ["con", "x/NUL.txt", "lpt1.pdf", "a./b", "what?.txt", "a:b/c"])
def test_names_that_windows_cannot_write_are_noted(name: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(archive({f"x{'/'}{name}": b"1"}), Kind.ARCHIVE).notes == ("windows_names",)


def test_an_archive_of_the_long_form_is_accepted(accepted: Callable[..., Facts]) -> None:
    assert accepted(zip64(), Kind.ARCHIVE).unpacked_bytes == 900


def test_a_letter_that_begins_like_a_program_is_none(accepted: Callable[..., Facts]) -> None:
    assert accepted(archive({"a.txt": b"MZ is how this letter begins"}), Kind.ARCHIVE).notes == ()
