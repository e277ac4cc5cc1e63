"""Names in an archive: they stay inside, come once, and are no programs or macros."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from services.verifier.checks.subject import Refused, Subject
from shared.reasons import Reason

NAME_CHARACTERS = 4096
"""Longest name that a system can be asked to write (Linux, `PATH_MAX`)."""

PROGRAM_NAMES = frozenset(
    (
        *(".exe", ".scr", ".pif", ".cpl", ".dll", ".msi", ".msp", ".mst", ".bat", ".cmd", ".ps1", ".xll", ".jar"),
        *(".vbs", ".vbe", ".jse", ".ws", ".wsf", ".wsh", ".wsc", ".sct", ".hta", ".lnk", ".url", ".scf", ".reg"),
        *(".apk", ".appx", ".appxbundle", ".msix", ".msixbundle", ".appinstaller", ".appref-ms", ".application"),
        *(".msc", ".chm", ".diagcab", ".settingcontent-ms", ".library-ms", ".search-ms", ".searchconnector-ms"),
        *(".website", ".gadget", ".jnlp", ".desktop", ".command", ".terminal", ".inetloc", ".fileloc"),
    )
)
"""Endings that a double click runs, installs or follows to another place on a common desktop."""

SCRIPT_NAMES = frozenset((".js", ".mjs", ".py", ".pyw", ".sh", ".bash", ".pl", ".rb", ".php", ".html", ".htm", ".svg"))
IMAGE_NAMES = frozenset((".iso", ".img", ".vhd", ".vhdx", ".dmg"))
"""Disk images, which a double click mounts; nobody looks into them here."""

MACROS = re.compile(
    r"(?:.*/)?(?:vbaproject\.bin|vbadata\.xml)|(?:.*/)?(?:xl/macrosheets|(?:word|xl|ppt)/activex)/.+|basic/script-lc\.xml"
)
"""Macros of VBA and of Excel 4 and ActiveX in Office Open XML, Basic in OpenDocument; names in lower case."""

WINDOWS = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?|.*[. ]|.*[<>:\"|?*].*", re.IGNORECASE)
"""Names that Windows gives to devices, or cannot write."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
DRIVE = re.compile(r"[A-Za-z]:")


def check_path(name: str) -> None:
    """Refuse a name that is written outside of the folder into which an archive is unpacked, or cannot be written."""
    if CONTROL.search(name):
        raise Refused(Reason.UNSAFE_MEDIA, "a name holds a control character")
    if name.startswith("/") or DRIVE.match(name) or ".." in re.split(r"[/\\]", name):
        raise Refused(Reason.UNSAFE_MEDIA, "a name leads out of the archive")
    if "\\" in name:
        raise Refused(Reason.UNSAFE_MEDIA, "a name holds a backslash")
    if len(name) > NAME_CHARACTERS:
        raise Refused(Reason.UNSAFE_MEDIA, f"a name of more than {NAME_CHARACTERS} characters")


def check_name(subject: Subject, name: str) -> None:
    """Refuse the name of a macro or a program; note scripts, disk images, and names that Windows cannot write."""
    path = PurePosixPath(name)
    ending = _ending(path.name)
    if MACROS.fullmatch(name.lower()):
        raise Refused(Reason.ACTIVE_CONTENT, "the archive holds office macros or controls")
    if ending in PROGRAM_NAMES and not name.endswith("/"):
        raise Refused(Reason.ACTIVE_CONTENT, f"the archive holds a program ({ending})")
    if ending in SCRIPT_NAMES:
        subject.note("scripts_inside")
    if ending in IMAGE_NAMES:
        subject.note("not_looked_into")
    if any(WINDOWS.fullmatch(part) for part in path.parts):
        subject.note("windows_names")


def check_clashes(subject: Subject, names: Sequence[str]) -> None:
    """Refuse names of which one unpacks over another; note those that do so only where letters count as equal."""
    if len({str(PurePosixPath(name)) for name in names}) < len(names):
        raise Refused(Reason.UNSAFE_MEDIA, "two entries have one name")
    if _clash(names):
        raise Refused(Reason.UNSAFE_MEDIA, "a file and a folder have one name")
    folded = [_folded(name) for name in names]
    if len({str(PurePosixPath(name)) for name in folded}) < len(names) or _clash(folded):
        subject.note("names_clash")


def _ending(name: str) -> str:
    """The last ending in lower case, as Windows sees it: without a stream's name, and spaces and dots at the end."""
    name = name.partition(":")[0].rstrip(". ").lower()
    return f".{name.rpartition('.')[2]}" if "." in name else ""


def _clash(names: Sequence[str]) -> bool:
    """Whether a file has the name of a folder in which others lie; sorted, what lies in a folder follows it."""
    paths = sorted((f"{PurePosixPath(name)}/", name.endswith("/")) for name in names)
    return any(not is_folder and path.startswith(file) for (file, is_folder), (path, _) in pairwise(paths))


def _folded(name: str) -> str:
    """One form for all names that Windows (case, spaces and dots at the end) or macOS (Unicode) takes for one."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return "/".join(part.rstrip(". ") or part for part in folded.split("/"))
