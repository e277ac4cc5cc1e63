"""What a file in an archive is: a program, a macro, a script, or an archive that nobody looks into."""

import re
from pathlib import PurePosixPath

from services.verifier.checks.subject import Refused, Subject
from shared.reasons import Reason

HEAD_BYTES = 64
"""First bytes of a file by which it is judged."""

MACH_O = tuple(bytes.fromhex(magic) for magic in ("feedface", "feedfacf", "cefaedfe", "cffaedfe"))
PROGRAMS = (b"\x7fELF", b"\xca\xfe\xba\xbe", b"dex\n", *MACH_O)
"""Of Linux, Java or several machines of macOS, Android, macOS; those of Windows begin with letters, and hold zeros."""

PROGRAM_NAMES = frozenset(
    (
        *(".exe", ".scr", ".pif", ".cpl", ".dll", ".msi", ".bat", ".cmd", ".ps1"),
        *(".vbs", ".vbe", ".jse", ".wsf", ".wsh", ".hta", ".lnk", ".apk", ".appx"),
    )
)
"""Endings that a double click runs or installs on a common desktop."""

SCRIPT_NAMES = frozenset((".js", ".mjs", ".py", ".sh", ".bash", ".pl", ".rb", ".php", ".html", ".htm", ".svg"))
MACROS = re.compile(
    r"(?:.*/)?(?:vbaproject\.bin|vbadata\.xml)|(?:.*/)?(?:xl/macrosheets|(?:word|xl|ppt)/activex)/.+|basic/script-lc\.xml"
)
"""Macros of VBA and of Excel 4 and ActiveX in Office Open XML, Basic in OpenDocument; names in lower case."""

PACKED = (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
WINDOWS = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?|.*[. ]|.*[<>:\"|?*].*", re.IGNORECASE)
"""Names that Windows gives to devices, or cannot write."""


def check_name(subject: Subject, name: str) -> None:
    """Refuse the name of a macro or a program; note scripts, and names that Windows cannot write."""
    path = PurePosixPath(name)
    if MACROS.fullmatch(name.lower()):
        raise Refused(Reason.ACTIVE_CONTENT, "the archive holds office macros or controls")
    if path.suffix.lower() in PROGRAM_NAMES:
        raise Refused(Reason.ACTIVE_CONTENT, f"the archive holds a program ({path.suffix.lower()})")
    if path.suffix.lower() in SCRIPT_NAMES:
        subject.note("scripts_inside")
    if any(WINDOWS.fullmatch(part) for part in path.parts):
        subject.note("windows_names")


def check_start(subject: Subject, start: bytes) -> None:
    """Refuse a program by its first bytes; note what is not looked into."""
    if start.startswith(PROGRAMS) or (start.startswith(b"MZ") and b"\0" in start):
        raise Refused(Reason.ACTIVE_CONTENT, "the archive holds a program")
    if start.startswith(b"#!"):
        subject.note("scripts_inside")
    if start.startswith((*PACKED, OLE)):
        subject.note("not_looked_into")
