"""Names in an archive: what a system would run, unpack elsewhere, or unpack over something else."""

import io
import stat
import zipfile
from collections.abc import Callable

import pytest

from services.verifier.facts import Facts, Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.documents import archive


def special(mode: int, system: int = 3) -> bytes:
    """A ZIP file with one entry of this mode, made on this system."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as output:
        entry = zipfile.ZipInfo("entry")
        entry.create_system, entry.external_attr = system, mode << 16
        output.writestr(entry, b"content")
    return target.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "a.exe ",
            "b.scr.",
            "x/c.bat. . ",
            "a.exe:stream",
            "a.exe::$DATA",
            ".exe",
            "a.XLL",
            "a.msc",
            "a.chm",
            "a.url",
        ),
        *("a.appref-ms", "a.settingContent-ms", "a.library-ms", "a.msix", "a.msixbundle", "a.appx", "a.diagcab"),
        *("a.scf", "a.reg", "a.desktop", "a.jar", "a.jse", "a.wsf", "a.cpl"),
    ],
)
def test_a_name_that_a_double_click_runs_is_active_content(name: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive({name: b"harmless"}), Kind.ARCHIVE)
    assert (verdict.reason, verdict.check) == (Reason.ACTIVE_CONTENT, "zip_entries")


@pytest.mark.parametrize("name", ["exe", "a.exe.txt", "a.exe/b.txt", "msc", "notes on a.desktop.md", "a.com"])
def test_a_name_that_only_looks_like_a_program_is_none(name: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(archive({name: b"harmless"}), Kind.ARCHIVE).notes == ()


@pytest.mark.parametrize("name", ["a.iso", "a.img", "a.VHD", "a.vhdx"])
def test_a_disk_image_is_noted(name: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(archive({name: b"harmless"}), Kind.ARCHIVE).notes == ("not_looked_into",)


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("../x", "a name leads out of the archive"),
        ("a\\..\\x", "a name leads out of the archive"),
        ("c:x", "a name leads out of the archive"),
        ("a\nb", "a name holds a control character"),
        ("a\0b", "a name holds a control character"),
        ("a\x9bb", "a name holds a control character"),
        ("a\\b", "a name holds a backslash"),
        ("a/" * 2050, "a name of more than 4096 characters"),
    ],
)
def test_the_fault_of_a_name_is_told(name: str, detail: str, examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive({name: b"", "b": b"1"}), Kind.ARCHIVE)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, detail)


@pytest.mark.parametrize("name", ["take 1:2", "1:b", "x/a:b"])
def test_a_colon_that_names_no_drive_is_noted(name: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(archive({name: b"1"}), Kind.ARCHIVE).notes == ("windows_names",)


@pytest.mark.parametrize("names", [("a/b", "a/./b"), ("a/b", "a//b"), ("a", "./a"), ("a", "a/")])
def test_two_names_of_one_file_are_unsafe(names: tuple[str, str], examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive(dict.fromkeys(names, b"")), Kind.ARCHIVE)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "two entries have one name")


@pytest.mark.parametrize("names", [("a", "a/b"), ("x/a/b/c", "a.txt", "x/a"), ("a", "a/b/")])
def test_a_file_with_the_name_of_a_folder_is_unsafe(names: tuple[str, ...], examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive(dict.fromkeys(names, b"")), Kind.ARCHIVE)
    assert (verdict.reason, verdict.detail) == (Reason.UNSAFE_MEDIA, "a file and a folder have one name")


@pytest.mark.parametrize("names", [("a.txt", "A.TXT"), ("\u00e9", "e\u0301"), ("X", "x/y"), ("stra\u00dfe", "STRASSE")])
def test_names_that_only_some_systems_take_for_one_are_noted(
    names: tuple[str, str], accepted: Callable[..., Facts]
) -> None:
    assert accepted(archive(dict.fromkeys(names, b"1")), Kind.ARCHIVE).notes == ("names_clash",)


def test_names_that_share_folders_and_beginnings_do_not_clash(accepted: Callable[..., Facts]) -> None:
    names = ("a/", "a/b", "a/b.txt", "ab", "a-b/c", "a/c/", "a/c/b", "A/d")
    assert accepted(archive(dict.fromkeys(names, b"")), Kind.ARCHIVE).notes == ()


def test_an_archive_of_folders_alone_is_empty(examine: Callable[..., Verdict]) -> None:
    verdict = examine(archive({"a/": b"", "a/b/": b""}), Kind.ARCHIVE)
    assert (verdict.reason, verdict.detail) == (Reason.UNDECODABLE, "the archive is empty")


@pytest.mark.parametrize("system", [3, 19], ids=["unix", "macos"])
@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, stat.S_IFLNK])
def test_what_is_neither_file_nor_folder_is_unsafe(kind: int, system: int, examine: Callable[..., Verdict]) -> None:
    assert examine(special(kind | 0o644, system), Kind.ARCHIVE).reason is Reason.UNSAFE_MEDIA


@pytest.mark.parametrize(("mode", "notes"), [(0o4755, ("setuid_inside",)), (0o2755, ("setuid_inside",)), (0o755, ())])
def test_a_file_with_the_rights_of_its_owner_is_noted(
    mode: int, notes: tuple[str, ...], accepted: Callable[..., Facts]
) -> None:
    assert accepted(special(stat.S_IFREG | mode), Kind.ARCHIVE).notes == notes
