"""What a file in an archive is by its first bytes: a program, a script, or an archive that nobody looks into."""

from services.verifier.checks.formats import OLE, PACKED
from services.verifier.checks.subject import Refused, Subject
from shared.reasons import Reason

HEAD_BYTES = 64
"""First bytes of a file by which it is judged."""

MACH_O = tuple(bytes.fromhex(magic) for magic in ("feedface", "feedfacf", "cefaedfe", "cffaedfe"))
PROGRAMS = (b"\x7fELF", b"\xca\xfe\xba\xbe", b"dex\n", *MACH_O)
"""Of Linux, Java or several machines of macOS, Android, macOS; those of Windows begin with letters, and hold zeros."""


def check_start(subject: Subject, start: bytes) -> None:
    """Refuse a program by its first bytes; note what is not looked into."""
    if start.startswith(PROGRAMS) or (start.startswith(b"MZ") and b"\0" in start):
        raise Refused(Reason.ACTIVE_CONTENT, "the archive holds a program")
    if start.startswith(b"#!"):
        subject.note("scripts_inside")
    if start.startswith((*PACKED, OLE)):
        subject.note("not_looked_into")
