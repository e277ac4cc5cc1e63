"""The producer's promise against the facts, with the tolerance that honest encoders need."""

from services.verifier.checks.declared import type_differs
from services.verifier.facts import Facts
from shared.messages import Expected, Kind

TOLERANCE = (0.5, 0.02)
"""Seconds and share by which a duration may differ: providers round, encoders end at a whole frame or audio packet."""

TOLERANCES = {"gif": (0.5, 0.2)}
"""Of containers that need more: a GIF counts hundredths, so that 60 pictures a second are shown at 50."""

ROUNDING = 1e-6
"""Seconds; what is lost where a duration is a sum of fractions."""

VIDEO_PIXELS = 1
"""Chroma subsampling needs even sizes, so an odd promise may differ by one pixel."""

ALIASES = {
    "avc": "h264",
    "avc1": "h264",
    "avc3": "h264",
    "h.264": "h264",
    "h.265": "hevc",
    "h265": "hevc",
    "hev1": "hevc",
    "hvc1": "hevc",
    "av01": "av1",
    "vp08": "vp8",
    "vp09": "vp9",
    "mp4v": "mpeg4",
    "mp4a": "aac",
    "mpga": "mp3",
    "amrnb": "amr_nb",
    "amrwb": "amr_wb",
    "jpg": "jpeg",
}


def expected_mismatch(facts: Facts, expected: Expected) -> str | None:
    """The first promise that the file breaks, in words; None if it keeps them all.

    Size and digest are not among them: they are told from the bytes, before the file is read as media.
    """
    for mismatch in (_duration, _size, _codecs, _pages, _type):
        found = mismatch(facts, expected)
        if found is not None:
            return found
    return None


def _duration(facts: Facts, expected: Expected) -> str | None:
    wanted, found = expected.duration_seconds, facts.duration_seconds
    if wanted is None:
        return None
    if found is None:
        return f"promised {wanted:.2f} s, found no duration"
    tolerance = (facts.step_seconds or 0.0) if expected.strict else _tolerance(facts, wanted)
    return None if abs(found - wanted) <= tolerance + ROUNDING else f"promised {wanted:.2f} s, found {found:.2f} s"


def _tolerance(facts: Facts, wanted: float) -> float:
    """Seconds; one packet more where only packets tell the duration, as the last one may be cut or padded."""
    seconds, share = TOLERANCES.get(facts.container, TOLERANCE)
    last = facts.step_seconds or 0.0 if facts.duration_source == "packets" else 0.0
    return max(seconds, wanted * share) + last


def _size(facts: Facts, expected: Expected) -> str | None:
    """Width and height as coded or as turned for display; providers mean one or the other."""
    as_coded = (facts.width, facts.height)
    seen = [as_coded, as_coded[::-1]] if facts.rotation in {90, 270} else [as_coded]
    tolerance = VIDEO_PIXELS if facts.kind is Kind.VIDEO and not expected.strict else 0
    wanted = (expected.width, expected.height)
    if any(all(map(lambda w, f: _near(w, f, tolerance), wanted, size)) for size in seen):
        return None
    return f"promised {_side(wanted[0])} x {_side(wanted[1])} pixels, found {facts.width} x {facts.height}"


def _near(wanted: int | None, found: int | None, tolerance: int) -> bool:
    return wanted is None or (found is not None and abs(wanted - found) <= tolerance)


def _side(pixels: int | None) -> str:
    return "any" if pixels is None else str(pixels)


def _codecs(facts: Facts, expected: Expected) -> str | None:
    """Each promised codec is there; others may be as well, unless strictly none."""
    wanted = {_codec(name) for name in expected.codecs or ()}
    found = ", ".join(facts.codecs) or "none"
    if wanted - set(facts.codecs):
        return f"a promised codec is missing, found {found}"
    is_more = expected.strict and expected.codecs is not None and set(facts.codecs) - wanted
    return f"a codec was not promised, found {found}" if is_more else None


def _codec(name: str) -> str:
    """FFmpeg's name for a codec that a producer names in its own way, or by RFC 6381 (`avc1.64001f`)."""
    plain = name.lower().split(".")[0] if name.lower() not in ALIASES else name.lower()
    return ALIASES.get(plain, plain)


def _pages(facts: Facts, expected: Expected) -> str | None:
    if expected.pages is None or expected.pages == facts.pages:
        return None
    return f"promised {expected.pages} pages, found {'none' if facts.pages is None else facts.pages}"


def _type(facts: Facts, expected: Expected) -> str | None:
    """Strictly, what the source declared is what the bytes are; a type that says nothing declares nothing."""
    declared = facts.declared_type
    if not expected.strict or declared is None or not type_differs(facts, declared):
        return None
    return f"the source declared {declared}, found {facts.content_type}"
