"""ZIP archives: safe names, bounded content, and every file in them unpacks to its check sum."""

import io
import stat
import zipfile
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO
from zipfile import ZipFile, ZipInfo

from services.verifier.checks.subject import Refused, Subject
from services.verifier.policy import Limits
from shared.reasons import Reason

READ_BYTES = 1024 * 1024
LOCAL_HEADER_BYTES = 30
UNIX = 3
MACROS = "vbaproject.bin"
OFFICE = {
    "word/": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    "xl/": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    "ppt/": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
}
"""Office files are ZIP archives with a list of types and one of these folders."""


@dataclass
class Content:
    """What an archive and the archives in it hold together."""

    entries: int = 0
    unpacked: int = 0


def open_zip(subject: Subject) -> None:
    """The central directory is readable and lists at least one file."""
    subject.file.seek(0)
    archive = ZipFile(subject.file)
    subject.opened = archive
    if not archive.infolist():
        raise Refused(Reason.UNDECODABLE, "the archive is empty")
    names = archive.namelist()
    for folder, (content_type, extension) in OFFICE.items():
        if "[Content_Types].xml" in names and any(name.startswith(folder) for name in names):
            subject.found |= {"content_type": content_type, "extension": extension}


def zip_entries(subject: Subject) -> None:
    """Names stay inside the archive, nothing is encrypted, no two entries share bytes, sizes are bounded."""
    archive = subject.opened_as(ZipFile)
    check_entries(archive.infolist(), subject.size, subject.limits)


def zip_content(subject: Subject) -> None:
    """Every file unpacks to the stated size and check sum; archives inside are unpacked too, to a depth."""
    content = Content()
    unpack(subject.opened_as(ZipFile), content, subject.limits, depth=0)
    if content.unpacked > max(subject.limits.ratio_from_bytes, subject.size * subject.limits.ratio):
        raise Refused(Reason.UNSAFE_MEDIA, "the archive unpacks to far more than its size")
    subject.found |= {"entries": content.entries, "unpacked_bytes": content.unpacked}


def check_entries(entries: list[ZipInfo], packed: int, limits: Limits) -> None:
    """What `zip_entries` says, for the entries of one archive of `packed` bytes."""
    if len(entries) > limits.entries:
        raise Refused(Reason.UNSAFE_MEDIA, f"{len(entries)} entries")
    for entry in entries:
        _check_entry(entry)
    stated = sum(entry.file_size for entry in entries)
    if stated > min(limits.unpacked_bytes, max(limits.ratio_from_bytes, packed * limits.ratio)):
        raise Refused(Reason.UNSAFE_MEDIA, f"unpacks to {stated} bytes")
    ends = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < ends:
            raise Refused(Reason.UNSAFE_MEDIA, "entries overlap")
        ends = entry.header_offset + LOCAL_HEADER_BYTES + entry.compress_size


def unpack(archive: ZipFile, content: Content, limits: Limits, depth: int) -> None:
    """Read every file of an archive to its end, counting into `content`."""
    for entry in archive.infolist():
        content.entries += 1
        if content.entries > limits.entries:
            raise Refused(Reason.UNSAFE_MEDIA, "too many entries in all")
        with archive.open(entry) as file:
            start = file.read(4)
            content.unpacked += len(start)
            if start == b"PK\x03\x04":
                _nested(start, file, content, limits, depth + 1)
            else:
                _drain(file, content, limits)


def _check_entry(entry: ZipInfo) -> None:
    # zipfile cuts a name at NUL and turns separators around; what counts is what the archive says.
    name = entry.orig_filename
    parts = PurePosixPath(name.replace("\\", "/")).parts
    bad = "\\" in name or "\0" in name or name.startswith("/") or ".." in parts or name[1:2] == ":"
    if bad or any(ord(character) < 32 for character in name):
        raise Refused(Reason.UNSAFE_MEDIA, "a name leads out of the archive")
    if entry.create_system == UNIX and stat.S_ISLNK(entry.external_attr >> 16):
        raise Refused(Reason.UNSAFE_MEDIA, "the archive holds a symbolic link")
    if entry.flag_bits & 1:
        raise Refused(Reason.ENCRYPTED, "the archive holds an encrypted file")
    if parts and parts[-1].lower() == MACROS:
        raise Refused(Reason.ACTIVE_CONTENT, "the archive holds office macros")


def _drain(file: IO[bytes], content: Content, limits: Limits) -> None:
    while data := file.read(READ_BYTES):
        content.unpacked += len(data)
        if content.unpacked > limits.unpacked_bytes:
            raise Refused(Reason.UNSAFE_MEDIA, "the archive unpacks to too many bytes")


def _nested(start: bytes, file: IO[bytes], content: Content, limits: Limits, depth: int) -> None:
    if depth > limits.nesting:
        raise Refused(Reason.UNSAFE_MEDIA, f"archives are nested more than {limits.nesting} deep")
    data = start + file.read(limits.nested_bytes)
    content.unpacked += len(data) - len(start)
    if len(data) > limits.nested_bytes:
        raise Refused(Reason.UNSAFE_MEDIA, "an archive inside the archive is too large")
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return
    with ZipFile(io.BytesIO(data)) as inner:
        check_entries(inner.infolist(), len(data), limits)
        unpack(inner, content, limits, depth)
