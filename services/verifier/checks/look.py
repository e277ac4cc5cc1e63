"""How the pictures of a video are to be shown: pixel format, transfer function, transparency."""

from av.video.reformatter import ColorTrc
from av.video.stream import VideoStream

from services.verifier.checks.subject import Subject

HDR = frozenset({ColorTrc.SMPTE2084, ColorTrc.ARIB_STD_B67})
"""PQ and HLG (ITU-R BT.2100)."""

KNOWN = {transfer.value: transfer for transfer in ColorTrc if transfer is not ColorTrc.UNSPECIFIED}


def tell_look(subject: Subject, stream: VideoStream) -> None:
    """Record what the main picture stream says of itself; a second stream of transparency in WebM is only noted."""
    pixels, transfer = stream.codec_context.format, KNOWN.get(stream.codec_context.color_trc)
    beside = stream.metadata.get("alpha_mode") == "1"
    if beside:
        subject.note("alpha_not_decoded")
    subject.found |= {
        "pixel_format": pixels.name if pixels else None,
        "color_transfer": transfer.name.lower() if transfer else None,
        "is_hdr": transfer in HDR,
        "has_alpha": beside or bool(pixels and any(part.is_alpha for part in pixels.components)),
    }
