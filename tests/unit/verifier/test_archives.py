"""ZIP archives: what is proven of good ones, and every way in which one may be hostile."""

import zipfile
from collections.abc import Callable
from dataclasses import replace

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import archive, nested, overlapping

FILES = {"a.txt": b"some text " * 500, "folder/b.bin": bytes(range(256)) * 20}
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@pytest.mark.parametrize("method", METHODS)
def test_a_good_archive_is_accepted_with_its_facts(method: int, accepted: Callable[..., Facts]) -> None:
    facts = accepted(archive(FILES, method), Kind.ARCHIVE)
    assert (facts.entries, facts.unpacked_bytes) == (2, sum(map(len, FILES.values())))


@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_a_cut_archive_is_undecodable(share: float, examine: Callable[..., Verdict]) -> None:
    data = archive(FILES)
    assert examine(data[: int(len(data) * share) - 1], Kind.ARCHIVE).reason is Reason.UNDECODABLE


def test_a_file_with_a_wrong_check_sum_is_undecodable(examine: Callable[..., Verdict]) -> None:
    data = archive(FILES, zipfile.ZIP_STORED).replace(b"some text", b"SOME text", 1)
    verdict = examine(data, Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "zip_content")


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "C:\\x", "a\\..\\..\\x", "..", "a\0b", "a\nb"])
def test_a_name_that_leads_out_of_the_archive_is_unsafe(name: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive({name: b"content"}), Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.UNSAFE_MEDIA, "zip_entries")


def test_a_file_that_unpacks_to_far_more_than_its_size_is_unsafe(examine: Callable[..., Verdict]) -> None:
    assert examine(archive({"bomb": bytes(30_000_000)}), Kind.ARCHIVE).reason is Reason.UNSAFE_MEDIA


def test_a_bomb_that_lies_about_its_size_is_refused(examine: Callable[..., Verdict]) -> None:
    data = archive({"bomb": bytes(30_000_000)})
    lying = data.replace((30_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert lying != data
    assert examine(lying, Kind.ARCHIVE).reason is Reason.UNDECODABLE


def test_a_bomb_inside_an_archive_inside_an_archive_is_unsafe(examine: Callable[..., Verdict]) -> None:
    data = archive({"outer.zip": archive({"bomb": bytes(30_000_000)})})
    assert examine(data, Kind.ARCHIVE).reason is Reason.UNSAFE_MEDIA


def test_many_files_that_are_harmless_alone_are_unsafe_together(examine: Callable[..., Verdict]) -> None:
    files = {f"{number}": bytes(1_000_000) for number in range(20)}
    assert examine(archive(files), Kind.ARCHIVE).reason is Reason.UNSAFE_MEDIA


def test_archives_are_nested_only_so_deep(accepted: Callable[..., Facts], examine: Callable[..., Verdict]) -> None:
    assert accepted(nested(2), Kind.ARCHIVE).entries == 3
    assert examine(nested(3), Kind.ARCHIVE).reason is Reason.UNSAFE_MEDIA


def test_entries_that_share_bytes_are_unsafe(examine: Callable[..., Verdict]) -> None:
    verdict = examine(overlapping(), Kind.ARCHIVE)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "entries overlap")


def test_too_many_entries_are_unsafe(examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive(FILES), Kind.ARCHIVE, replace(Limits(), entries=1))
    assert verdict.reason is Reason.UNSAFE_MEDIA


def test_a_symbolic_link_is_unsafe(examine: Callable[..., Verdict]) -> None:
    data = bytearray(archive({"link": b"/etc/passwd"}))
    at = data.index(b"PK\x01\x02")
    data[at + 5] = 3
    data[at + 38 : at + 42] = (0o120777 << 16).to_bytes(4, "little")
    assert examine(bytes(data), Kind.ARCHIVE).reason is Reason.UNSAFE_MEDIA


def test_an_encrypted_file_is_encrypted(examine: Callable[..., Verdict]) -> None:
    data = bytearray(archive(FILES))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert examine(bytes(data), Kind.ARCHIVE).reason is Reason.ENCRYPTED


def test_office_macros_are_active_content(examine: Callable[..., Verdict]) -> None:
    data = archive({"word/document.xml": b"<w/>", "word/vbaProject.bin": b"macro"})
    assert examine(data, Kind.ARCHIVE).reason is Reason.ACTIVE_CONTENT


def test_an_office_file_keeps_its_own_type(accepted: Callable[..., Facts]) -> None:
    facts = accepted(archive({"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}), Kind.ARCHIVE)
    assert facts.extension == "docx"
    assert facts.content_type.endswith("wordprocessingml.document")


def test_an_empty_archive_proves_nothing(examine: Callable[..., Verdict]) -> None:
    assert examine(archive({}), Kind.ARCHIVE).reason is Reason.UNDECODABLE
