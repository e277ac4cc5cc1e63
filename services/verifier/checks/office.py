"""Office files in ZIP form: what they declare and hold besides text; their XML is searched, never parsed."""

import html
import re
from typing import IO
from zipfile import ZipFile

from services.verifier.checks.formats import OLE
from services.verifier.checks.subject import Refused
from shared.reasons import Reason

TYPES = "[content_types].xml"
PART_BYTES = 16 * 2**20
"""Most bytes of a list of types or of relationships."""

MACRO_TYPES = re.compile(
    r"macroenabled|vnd\.ms-office\.(?:vbaproject|activex)|vnd\.ms-word\.vbadata|vnd\.ms-excel\.(?:intl)?macrosheet|<!doctype"
)
MACRO_LINKS = re.compile(
    r"\btype\s*=\s*[\"'][^\"'<>]*/(?:vbaproject|wordvbadata|xl(?:intl)?macrosheet|activexcontrolbinary)\s*[\"']|<!doctype"
)
"""In lower case; a document type (ECMA-376, part 2, forbids it) could hide them behind entities."""

SCRIPTS = ("basic/", "scripts/")


def check_office(archive: ZipFile) -> None:
    """Refuse macros in Office Open XML and in OpenDocument, whatever their names; nothing is said of other archives."""
    names = {name.lower() for name in archive.namelist()}
    is_open_document = {"content.xml", "meta-inf/manifest.xml"} <= names
    if is_open_document and any(name.startswith(SCRIPTS) and name not in SCRIPTS for name in names):
        raise Refused(Reason.ACTIVE_CONTENT, "the office file holds macros or scripts")
    if TYPES in names:
        for entry in archive.infolist():
            with archive.open(entry) as part:
                _check_part(entry.filename.lower(), part)


def _check_part(name: str, part: IO[bytes]) -> None:
    if name == TYPES and MACRO_TYPES.search(_text(part)):
        raise Refused(Reason.ACTIVE_CONTENT, "the office file declares macros")
    if name.endswith(".rels") and MACRO_LINKS.search(_text(part)):
        raise Refused(Reason.ACTIVE_CONTENT, "the office file refers to macros")
    is_embedded = "/embeddings/" in f"/{name}"
    if not is_embedded and part.read(len(OLE)) == OLE:
        raise Refused(Reason.ACTIVE_CONTENT, "the office file holds a part of the old form (OLE), as macros are")


def _text(part: IO[bytes]) -> str:
    """A part in lower case with its character references resolved; without zeros, wide letters read as others do."""
    data = part.read(PART_BYTES + 1)
    if len(data) > PART_BYTES:
        raise Refused(Reason.UNSAFE_MEDIA, f"a list in the office file has more than {PART_BYTES} bytes")
    return html.unescape(data.replace(b"\0", b"").decode("latin-1")).lower()
