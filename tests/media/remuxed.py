"""Clips as cutters, recorders and packagers leave them: with packets missing, more tracks, or encrypted samples."""

import io
from collections.abc import Callable
from functools import cache

import av
from av.container import InputContainer, OutputContainer
from av.packet import Packet
from av.stream import Stream

from tests.media.moving import Options, sound, video

Keep = Callable[[int, bool], bool]


def with_packets(data: bytes, keep: Keep, container: str = "mp4") -> bytes:
    """The clip with those packets of its first stream that `keep(number in decoding order, is key frame)` takes."""

    def change(source: InputContainer, packets: "list[Packet[Stream]]") -> "list[Packet[Stream]]":
        first = [packet for packet in packets if packet.stream.index == 0]
        kept = {id(p) for number, p in enumerate(first) if keep(number, p.is_keyframe)}
        return [packet for packet in packets if packet.stream.index != 0 or id(packet) in kept]

    return _changed(data, change, container)


def without_last(data: bytes, count: int, container: str = "mp4") -> bytes:
    """The clip without the last pictures in decoding order."""
    pictures = _packets(data)
    return with_packets(data, lambda number, _: number < pictures - count, container)


def from_second_key(data: bytes, container: str = "mp4") -> bytes:
    """The clip cut at its second key frame, as a cutter without an encoder does it."""
    seen: list[int] = []

    def keep(number: int, is_key: bool) -> bool:
        if is_key:
            seen.append(number)
        return len(seen) >= 2

    return with_packets(data, keep, container)


def uneven(data: bytes) -> bytes:
    """The clip with its second half at a quarter of the speed, so that the frame rate varies."""

    def change(source: InputContainer, packets: "list[Packet[Stream]]") -> "list[Packet[Stream]]":
        middle = packets[len(packets) // 2].dts or 0
        for packet in packets:
            for name in ("pts", "dts"):
                instant = getattr(packet, name)
                setattr(packet, name, instant if instant < middle else middle + (instant - middle) * 4)
        return packets

    return _changed(data, change, "mp4")


@cache
def with_tracks(videos: int, audios: int, container: str = "matroska") -> bytes:
    """A file with several tracks of each sort, each of a clip or a tone."""
    target = io.BytesIO()
    sources = [av.open(io.BytesIO(video()), "r") for _ in range(videos)]
    sources += [av.open(io.BytesIO(sound("mp4", "aac")), "r") for _ in range(audios)]
    with av.open(target, "w", format=container) as output:
        streams = [output.add_stream_from_template(source.streams[0]) for source in sources]
        for source, stream in zip(sources, streams, strict=True):
            for packet in source.demux(0):
                if packet.dts is not None:
                    packet.stream = stream
                    output.mux(packet)
            source.close()
    return target.getvalue()


def encrypted(audio: str | None = None, muxing: Options = ()) -> bytes:
    """An MP4 whose samples are encrypted by Common Encryption, as a packager for DRM writes it."""
    key = {"encryption_scheme": "cenc-aes-ctr", "encryption_key": "00" * 16, "encryption_kid": "11" * 16}
    return video(audio=audio, muxing=(*muxing, *key.items()))


def encrypted_webm() -> bytes:
    """A WebM whose track says that its samples are encrypted, as Widevine's packager writes it."""
    data = video("webm", "libvpx", muxing=(("live", "1"),))
    at = data.rindex(b"\x16\x54\xae\x6b")
    tracks, body, end = _element(data, at, 4)
    _, entry, _ = _element(data, body, 1)
    said = b"\x6d\x80" + _sized(b"\x62\x40" + _sized(b"\x50\x33\x81\x01\x50\x35" + _sized(b"\x47\xe1\x81\x05")))
    changed = b"\xae" + _sized(data[entry:end] + said)
    return data[:at] + tracks + _sized(changed) + data[end:]


def _element(data: bytes, at: int, width: int) -> tuple[bytes, int, int]:
    """Identity of an element of Matroska, where its body starts and where it ends."""
    first = data[at + width]
    length = 9 - first.bit_length()
    size = int.from_bytes(data[at + width : at + width + length]) & (1 << 7 * length) - 1
    body = at + width + length
    return data[at : at + width], body, body + size


def _sized(body: bytes) -> bytes:
    """A size of eight bytes, and the body."""
    return (len(body) | 1 << 56).to_bytes(8) + body


def init_segment(fragmented: bytes) -> bytes:
    """What comes before the first fragment: headers without one sample."""
    return fragmented[: fragmented.index(b"moof") - 4]


def _changed(
    data: bytes,
    change: "Callable[[InputContainer, list[Packet[Stream]]], list[Packet[Stream]]]",
    container: str,
) -> bytes:
    target = io.BytesIO()
    with av.open(io.BytesIO(data), "r") as source, av.open(target, "w", format=container) as output:
        streams = _same_streams(source, output)
        packets = [packet for packet in source.demux() if packet.dts is not None]
        for packet in change(source, packets):
            packet.stream = streams[packet.stream.index]
            output.mux(packet)
    return target.getvalue()


def _same_streams(source: InputContainer, output: OutputContainer) -> "dict[int, Stream]":
    return {stream.index: output.add_stream_from_template(stream) for stream in source.streams}


def _packets(data: bytes) -> int:
    with av.open(io.BytesIO(data), "r") as source:
        return sum(packet.dts is not None for packet in source.demux(0))
