"""MP3 and ADTS files frame by frame: whole to the last frame, and as many frames as the first one states."""

from collections.abc import Callable

from services.verifier.checks.subject import Refused, Subject, read_at, truncated
from shared.reasons import Reason

BITRATES_1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
BITRATES_2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
"""Layer III, kbit/s, of MPEG-1 and of MPEG-2 and 2.5."""

TAGS = (b"TAG", b"APETAGEX", b"LYRICSBEGIN")
MOST_PADDING = 4096
"""Zeros after the last frame that are taken for padding and not for a hole."""

SAMPLE_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
HEADER_BYTES = 10
ADTS_HEADER_BYTES = 7


def whole_mp3(subject: Subject) -> None:
    """The last MP3 frame is complete, and no frame that a Xing or Info header counts is missing."""
    start = id3_end(subject.head)
    stated = _stated_frames(read_at(subject.file, start, 200))
    found = _walk(subject, start, _mp3_length)
    if stated is not None and found - 1 < stated:
        raise truncated(f"{found - 1} of {stated} frames")


def whole_adts(subject: Subject) -> None:
    """The last ADTS frame is complete."""
    _walk(subject, id3_end(subject.head), _adts_length)


def states_length(subject: Subject) -> bool:
    """Whether an MP3 file tells its length; for others FFmpeg guesses it from the bit rate."""
    frame = read_at(subject.file, id3_end(subject.head), 200)
    return _stated_frames(frame) is not None or b"VBRI" in frame


def id3_end(head: bytes) -> int:
    """Where an ID3v2 tag at the start of a file ends, in bytes; 0 without one."""
    if head[:3] != b"ID3" or len(head) < 10:
        return 0
    size = 0
    for byte in head[6:10]:
        size = size << 7 | byte & 0x7F
    return 10 + size + (10 if head[5] & 0x10 else 0)


def _walk(subject: Subject, position: int, length_of: Callable[[bytes], int]) -> int:
    """The number of frames in a row from `position`, with tags between joined files; they end at `subject.end`."""
    frames = 0
    while step := length_of(header := read_at(subject.file, position, HEADER_BYTES)) or id3_end(header):
        position, frames = position + step, frames + 1
        if position > subject.size:
            raise truncated("the last frame is not complete")
        if frames > subject.limits.boxes * 10:
            raise Refused(Reason.UNSAFE_MEDIA, "the file has too many frames")
    rest = read_at(subject.file, position, MOST_PADDING + 1)
    if not rest.startswith(TAGS) and (len(rest) > MOST_PADDING or rest.strip(b"\0")):
        raise Refused(Reason.UNDECODABLE, "bytes after the last frame are no frames, no tag and no padding")
    subject.ends_at(position)
    return frames


def _stated_frames(frame: bytes) -> int | None:
    """The count of a Xing or Info header, which does not count its own frame."""
    at = max(frame.find(b"Xing"), frame.find(b"Info"))
    if at < 0 or len(frame) < at + 12 or not frame[at + 7] & 1:
        return None
    return int.from_bytes(frame[at + 8 : at + 12])


def _mp3_length(header: bytes) -> int:
    """Bytes of the frame with this header; 0 if it is none."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return 0
    version, bitrate, rate = header[1] >> 3 & 3, header[2] >> 4, header[2] >> 2 & 3
    if version == 1 or bitrate in {0, 15} or rate == 3:
        return 0
    kilobits = (BITRATES_1 if version == 3 else BITRATES_2)[bitrate]
    slots = 144_000 if version == 3 else 72_000
    return slots * kilobits // SAMPLE_RATES[version][rate] + (header[2] >> 1 & 1)


def _adts_length(header: bytes) -> int:
    if len(header) < ADTS_HEADER_BYTES or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
        return 0
    length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    if length < ADTS_HEADER_BYTES:
        raise Refused(Reason.UNDECODABLE, "a frame is shorter than its header")
    return length
