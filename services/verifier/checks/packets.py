"""Video and audio packet by packet: all are read and counted, the first ones decoded."""

from fractions import Fraction

from av.packet import Packet
from av.stream import Stream

from services.verifier.checks.decode import decode, make_strict
from services.verifier.checks.leftovers import is_cut
from services.verifier.checks.subject import Refused, Subject
from services.verifier.checks.tracks import Media, Track
from shared.reasons import Reason


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
