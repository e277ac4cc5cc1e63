"""Video and audio packet by packet: all are read, the first ones decoded, and they tell the duration."""

from fractions import Fraction

from av.packet import Packet
from av.stream import Stream

from services.verifier.checks.decode import decode, make_strict
from services.verifier.checks.leftovers import is_cut
from services.verifier.checks.mpeg_audio import states_length
from services.verifier.checks.subject import Refused, Subject, truncated
from services.verifier.checks.tracks import Media, Track
from shared.reasons import Reason

MICROSECONDS = 1_000_000
SLACK_SECONDS, SLACK_SHARE = 0.5, 0.005
"""How far the packets may miss the stated end: encoder delay, edit lists and rounding."""

VARIABLE = 2
"""Where one picture lasts more than so many times as long as another, the frame rate is a mean."""

CONTIGUOUS, MOST_GAP = frozenset({"mp3", "adts", "wav", "flac"}), 0.05
"""Formats in which one packet starts where the last one ends, up to so many seconds."""


def packets(subject: Subject) -> None:
    """Every stream has packets, none is damaged, and they decode from the start as far as the limits say."""
    media = subject.opened_as(Media)
    tracks = {track.stream.index: track for track in media.tracks}
    for track in media.tracks:
        make_strict(track, subject.limits)
    for packet in media.container.demux():
        if _is_no_media(subject, packet):
            continue
        found = tracks.get(packet.stream.index)
        if packet.size:
            _count(subject, media, found, packet)
        if found and found.packets <= found.budget:
            decode(found, packet)
    if not all(track.decoded for track in media.tracks):
        raise Refused(Reason.UNDECODABLE, "a stream gives no frames")
    if media.tracks[0].is_video:
        subject.found |= {"frames": media.tracks[0].packets, "rotation": media.tracks[0].rotation}


def duration(subject: Subject) -> None:
    """The packets reach the stated duration; where none is stated, or an absurd one, they tell it."""
    media = subject.opened_as(Media)
    stated, measured = _stated(subject, media), max(_span(track) for track in media.tracks)
    if stated is not None and max(measured, float(media.end)) < _least(media, stated):
        raise truncated(f"the packets end at {float(media.end):.2f} s of the stated {stated:.2f} s")
    if subject.format.name in CONTIGUOUS and media.tracks[0].gap > MOST_GAP:
        raise Refused(Reason.UNDECODABLE, f"a hole of {float(media.tracks[0].gap):.2f} s")
    if measured > subject.limits.seconds:
        raise Refused(Reason.UNSAFE_MEDIA, f"{measured:.0f} s of media")
    if stated is not None and measured <= stated + _slack(stated):
        subject.found |= {"duration_seconds": stated, "duration_source": "container"}
    elif measured > 0:
        subject.found |= {"duration_seconds": measured, "duration_source": "packets"}
    _frame_rate(subject, media.tracks[0])
    if media.tracks[0].steps[1]:
        subject.found["step_seconds"] = float(media.tracks[0].steps[1] * media.tracks[0].base)


def _is_no_media(subject: Subject, packet: "Packet[Stream]") -> bool:
    """Whether FFmpeg took bytes after the content, or the tag between two joined MP3 files, for a packet."""
    if packet.pos is not None and packet.pos >= subject.end:
        return True
    return subject.format.name == "mp3" and packet.size > 0 and bytes(memoryview(packet)[:3]) == b"ID3"


def _count(subject: Subject, media: Media, track: Track | None, packet: "Packet[Stream]") -> None:
    if packet.is_corrupt and "length_unstated" not in subject.notes:
        raise Refused(Reason.UNDECODABLE, "a packet is damaged")
    instant = packet.pts if packet.pts is not None else packet.dts
    start = None if instant is None else instant * packet.time_base
    end = None if start is None else start + (packet.duration or 0) * packet.time_base
    media.end = max(media.end, end or Fraction(0))
    if track is None:
        return
    track.packets += 1
    if track.packets == 1:
        track.is_cut = is_cut(track, packet)
    if instant is None or start is None or end is None:
        return
    track.gap = max(track.gap, start - track.end) if track.start is not None else track.gap
    track.start = start if track.start is None else min(track.start, start)
    track.end = max(track.end, end)
    if packet.dts is not None:
        _step(track, packet.dts)
    if packet.is_keyframe:
        track.first_key = instant if track.first_key is None else track.first_key
        track.last_key = max(instant, track.last_key or instant)


def _step(track: Track, dts: int) -> None:
    if track.last_dts is not None and dts > track.last_dts:
        step = dts - track.last_dts
        track.steps = (min(track.steps[0] or step, step), max(track.steps[1], step))
    track.last_dts = dts


def _least(media: Media, stated: float) -> float:
    """The earliest end of the packets that keeps the header's word, in seconds.

    A last packet without a duration lasts up to the stated end, so one such step is allowed.
    """
    if max(track.packets for track in media.tracks) == 1:
        return 0.0
    return stated - _slack(stated) - max(float(track.gap) for track in media.tracks)


def _slack(stated: float) -> float:
    return max(SLACK_SECONDS, stated * SLACK_SHARE)


def _span(track: Track) -> float:
    return float(track.end - (track.start or Fraction(0)))


def _stated(subject: Subject, media: Media) -> float | None:
    """Seconds that the header states; None if it states none, or more than can be true."""
    micros = media.container.duration
    if not micros or micros < 0 or not _is_stated(subject):
        return None
    seconds = micros / MICROSECONDS
    if seconds > subject.limits.seconds:
        subject.note("absurd_duration")
        return None
    return seconds


def _is_stated(subject: Subject) -> bool:
    """Whether FFmpeg read the duration; for ADTS and plain MP3 it guesses from the bit rate."""
    if subject.format.name == "mp3":
        return states_length(subject)
    return subject.format.name != "adts"


def _frame_rate(subject: Subject, track: Track) -> None:
    seconds = _span(track)
    if not track.is_video or track.packets < 2 or seconds <= 0:
        return
    subject.found["frame_rate"] = round(track.packets / seconds, 3)
    if track.steps[1] > VARIABLE * track.steps[0]:
        subject.note("variable_frame_rate")
