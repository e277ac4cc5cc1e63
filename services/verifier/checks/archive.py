"""ZIP archives: safe names, bounded content, and every file in them unpacks to its check sum."""

import io
import stat
import zipfile
from dataclasses import dataclass
from typing import IO
from zipfile import ZipFile, ZipInfo

from services.verifier.checks.contents import HEAD_BYTES, check_start
from services.verifier.checks.names import check_clashes, check_name, check_path
from services.verifier.checks.office import TYPES, check_office
from services.verifier.checks.subject import NotApplicable, Refused, Subject
from shared.reasons import Reason

READ_BYTES = 1024 * 1024
LOCAL_HEADER_BYTES = 30
UNIX = {3, 19}
"""Systems of origin whose attributes are those of Unix: Unix and macOS (APPNOTE 4.4.2)."""

OFFICE = {
    "word/": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    "xl/": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    "ppt/": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"),
}
"""Office files are ZIP archives with a list of types and one of these folders."""


def open_zip(subject: Subject) -> None:
    """The central directory is readable and lists at least one file."""
    subject.file.seek(0)
    archive = ZipFile(subject.file)
    subject.opened = archive
    if all(entry.is_dir() for entry in archive.infolist()):
        raise Refused(Reason.UNDECODABLE, "the archive is empty")


def zip_entries(subject: Subject) -> None:
    """Names stay inside, come once and are no programs or macros; none is encrypted or overlaps, sizes are bounded."""
    _check_entries(subject, subject.opened_as(ZipFile), subject.size)


def office_file(subject: Subject) -> None:
    """An office file declares no macros; it keeps a type of its own."""
    archive = subject.opened_as(ZipFile)
    check_office(archive)
    names = [name.lower() for name in archive.namelist()]
    kind = next((OFFICE[folder] for folder in OFFICE if any(name.startswith(folder) for name in names)), None)
    if TYPES not in names or kind is None:
        raise NotApplicable
    subject.found["content_type"], subject.found["extension"] = kind


def zip_content(subject: Subject) -> None:
    """Every file unpacks to the stated size and check sum; archives inside are unpacked too, to a depth."""
    content = Content(subject)
    content.unpack(subject.opened_as(ZipFile), depth=0)
    if content.unpacked > max(subject.limits.ratio_from_bytes, subject.size * subject.limits.ratio):
        raise Refused(Reason.UNSAFE_MEDIA, "the archive unpacks to far more than its size")
    subject.found |= {"entries": content.entries, "unpacked_bytes": content.unpacked}


def _check_entries(subject: Subject, archive: ZipFile, packed: int) -> None:
    """What `zip_entries` says, for one archive of `packed` bytes."""
    entries, limits = archive.infolist(), subject.limits
    if len(entries) > limits.entries:
        raise Refused(Reason.UNSAFE_MEDIA, f"{len(entries)} entries")
    for entry in entries:
        # zipfile cuts a name at NUL and turns separators around; what counts is what the archive says.
        check_path(entry.orig_filename)
        _check_entry(subject, entry)
        check_name(subject, entry.filename)
    check_clashes(subject, [entry.filename for entry in entries])
    stated = sum(entry.file_size for entry in entries)
    if stated > min(limits.unpacked_bytes, max(limits.ratio_from_bytes, packed * limits.ratio)):
        raise Refused(Reason.UNSAFE_MEDIA, f"unpacks to {stated} bytes")
    ends = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < ends:
            raise Refused(Reason.UNSAFE_MEDIA, "entries overlap")
        ends = entry.header_offset + LOCAL_HEADER_BYTES + entry.compress_size


def _check_entry(subject: Subject, entry: ZipInfo) -> None:
    mode = entry.external_attr >> 16 if entry.create_system in UNIX else 0
    if stat.S_ISLNK(mode):
        raise Refused(Reason.UNSAFE_MEDIA, "the archive holds a symbolic link")
    if stat.S_IFMT(mode) in {stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK}:
        raise Refused(Reason.UNSAFE_MEDIA, "the archive holds a device, a pipe or a socket")
    if mode & (stat.S_ISUID | stat.S_ISGID) and not entry.is_dir():
        subject.note("setuid_inside")
    if entry.flag_bits & 1:
        raise Refused(Reason.ENCRYPTED, "the archive holds an encrypted file")


@dataclass
class Content:
    """What an archive and the archives in it hold together, counted while it is read."""

    subject: Subject
    entries: int = 0
    unpacked: int = 0

    def unpack(self, archive: ZipFile, depth: int) -> None:
        """Read every file of an archive to its end."""
        for entry in archive.infolist():
            self.entries += 1
            if self.entries > self.subject.limits.entries:
                raise Refused(Reason.UNSAFE_MEDIA, "too many entries in all")
            with archive.open(entry) as file:
                start = self._count(file.read(HEAD_BYTES))
                check_start(self.subject, start)
                if start.startswith(b"PK\x03\x04"):
                    self._nested(start, file, depth + 1)
                while self._count(file.read(READ_BYTES)):
                    pass

    def _nested(self, start: bytes, file: IO[bytes], depth: int) -> None:
        limits = self.subject.limits
        if depth > limits.nesting:
            raise Refused(Reason.UNSAFE_MEDIA, f"archives are nested more than {limits.nesting} deep")
        data = start + self._count(file.read(limits.nested_bytes))
        if len(data) > limits.nested_bytes:
            raise Refused(Reason.UNSAFE_MEDIA, "an archive inside the archive is too large")
        if zipfile.is_zipfile(io.BytesIO(data)):
            with ZipFile(io.BytesIO(data)) as inner:
                _check_entries(self.subject, inner, len(data))
                check_office(inner)
                self.unpack(inner, depth)

    def _count(self, data: bytes) -> bytes:
        """The same bytes, counted. Raises Refused once they are too many."""
        self.unpacked += len(data)
        if self.unpacked > self.subject.limits.unpacked_bytes:
            raise Refused(Reason.UNSAFE_MEDIA, "the archive unpacks to too many bytes")
        return data
