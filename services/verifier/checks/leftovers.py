"""What a cut without an encoder leaves behind: pictures whose references lie before the cut."""

from av.packet import Packet
from av.stream import Stream

from services.verifier.checks.tracks import Track

LEFTOVERS = 16
"""Most pictures at a cut that may fail: a decoder of H.264 holds no more (ITU-T H.264, A.3.1)."""

IDR = 5
"""Type of the H.264 unit that refers to nothing before it (ITU-T H.264, table 7-1)."""


def is_leftover(track: Track, packet: "Packet[Stream]") -> bool:
    """Whether a picture may fail because the file begins in the middle of what the encoder made.

    That is one that is shown before the first key frame, and in H.264 one soon after a key frame that is only a point
    of recovery: what follows it may still name pictures from before.
    """
    first = track.first_key
    if not track.is_video or track.leftovers >= LEFTOVERS or packet.pts is None or first is None:
        return False
    return packet.pts < first or (track.is_cut and 1 < track.packets <= LEFTOVERS)


def is_cut(track: Track, packet: "Packet[Stream]") -> bool:
    """Whether this first packet of an H.264 stream is a key frame without an IDR picture."""
    header = track.stream.codec_context.extradata or b""
    if track.stream.codec_context.name != "h264" or not packet.is_keyframe or header[:1] != b"\x01" or len(header) < 5:
        return False
    data, at, width = bytes(memoryview(packet)), 0, (header[4] & 3) + 1
    while at + width < len(data):
        if data[at + width] & 31 == IDR:
            return False
        at += width + int.from_bytes(data[at : at + width])
    return True
