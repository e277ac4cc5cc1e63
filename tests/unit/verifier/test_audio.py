"""Audio: formats, damage, tags, and audio in containers that may also hold video."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.moving import SAMPLE_RATE, sound, video
from tests.media.pictures import picture

GOOD = {
    "mp3": (partial(sound), "audio/mpeg", "mp3"),
    "wav": (partial(sound, "wav", "pcm_s16le"), "audio/wav", "pcm_s16le"),
    "flac": (partial(sound, "flac", "flac"), "audio/flac", "flac"),
    "ogg opus": (partial(sound, "ogg", "libopus"), "audio/ogg", "opus"),
    "ogg flac": (partial(sound, "ogg", "flac"), "audio/ogg", "flac"),
    "adts": (partial(sound, "adts", "aac"), "audio/aac", "aac"),
    "m4a": (partial(sound, "mp4", "aac"), "audio/mp4", "aac"),
    "alac": (partial(sound, "mov", "alac"), "audio/mp4", "alac"),
    "webm": (partial(sound, "webm", "libopus"), "audio/webm", "opus"),
}
PLAIN_MP3 = (("write_xing", "0"),)
TAG = b"ID3\x04\0\0\0\0\0\x14" + bytes(20)


def test_bytes_after_an_mp3_that_are_no_frames_are_undecodable_and_zeros_are_padding(
    accepted: Callable[..., Facts], examine: Callable[..., Verdict]
) -> None:
    assert examine(sound() + b"\x5a" * 500, Kind.AUDIO).reason is Reason.UNDECODABLE
    assert accepted(sound() + bytes(500), Kind.AUDIO).notes == ("trailing_bytes",)


@pytest.mark.parametrize("name", GOOD)
def test_good_audio_is_accepted_with_its_facts(name: str, accepted: Callable[..., Facts]) -> None:
    make, content_type, codec = GOOD[name]
    facts = accepted(make(), Kind.AUDIO)
    assert (facts.content_type, facts.codecs, facts.kind) == (content_type, (codec,), Kind.AUDIO)
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)
    assert (facts.sample_rate, facts.has_audio, facts.width) == (SAMPLE_RATE, True, None)
    assert facts.notes == ()


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0], ids=["half", "nine tenths", "last byte"])
def test_cut_audio_is_undecodable(name: str, share: float, examine: Callable[..., Verdict]) -> None:
    data = GOOD[name][0]()
    assert examine(data[: int(len(data) * share) - 1], Kind.AUDIO).reason is Reason.UNDECODABLE


def test_an_mp3_cut_between_two_frames_misses_frames_that_its_header_counts(
    examine: Callable[..., Verdict],
) -> None:
    data = sound()
    frame = 144_000 * 128 // SAMPLE_RATE
    at = len(data) - frame
    assert data[at : at + 2] == data[data.index(b"\xff\xfb") : data.index(b"\xff\xfb") + 2]
    verdict = examine(data[:at])
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "whole_container")


def test_an_mp3_without_a_length_header_is_measured_by_its_packets(accepted: Callable[..., Facts]) -> None:
    facts = accepted(sound(muxing=PLAIN_MP3), Kind.AUDIO)
    assert facts.duration_source == "packets"
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)


def test_joined_mp3_files_are_one_longer_file(accepted: Callable[..., Facts]) -> None:
    facts = accepted(sound() + sound(), Kind.AUDIO)
    assert facts.duration_seconds == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize("name", ["mp3", "adts", "ogg opus", "wav", "m4a"])
def test_a_tag_after_the_end_is_noted(name: str, accepted: Callable[..., Facts]) -> None:
    tag = b"TAG" + b"title".ljust(125, b"\0")
    assert accepted(GOOD[name][0]() + tag).notes == ("trailing_bytes",)


@pytest.mark.parametrize("name", ["mp3", "adts", "ogg opus", "flac", "m4a"])
def test_a_hole_of_zeros_is_undecodable(name: str, examine: Callable[..., Verdict]) -> None:
    data = bytearray(GOOD[name][0]())
    third = len(data) // 3
    data[third : 2 * third] = bytes(third)
    assert examine(bytes(data), Kind.AUDIO).reason is Reason.UNDECODABLE


def test_a_streamed_wav_without_its_length_is_accepted_with_a_note(accepted: Callable[..., Facts]) -> None:
    data = bytearray(sound("wav", "pcm_s16le"))
    data[4:8] = b"\xff\xff\xff\xff"
    at = data.index(b"data") + 4
    data[at : at + 4] = b"\xff\xff\xff\xff"
    facts = accepted(bytes(data), Kind.AUDIO)
    assert facts.notes == ("length_unstated",)
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)


def test_long_audio_is_decoded_in_samples(accepted: Callable[..., Facts]) -> None:
    limits = replace(Limits(), whole_decode_packets=50, sample_packets=20)
    facts = accepted(sound(seconds=20), Kind.AUDIO, limits)
    assert facts.frames_decoded is not None
    assert 50 <= facts.frames_decoded < 250


def test_a_cover_picture_does_not_make_a_video(accepted: Callable[..., Facts]) -> None:
    cover = b"\0image/png\0\x03\0" + picture()
    frame = b"APIC" + len(cover).to_bytes(4) + b"\0\0" + cover
    tag = b"ID3\x03\0\0" + bytes(len(frame) >> shift & 0x7F for shift in (21, 14, 7, 0)) + frame
    assert accepted(tag + sound(muxing=(*PLAIN_MP3, ("id3v2_version", "0")))).kind is Kind.AUDIO


def test_a_video_is_no_audio(examine: Callable[..., Verdict]) -> None:
    assert examine(video(audio="aac"), Kind.AUDIO).reason is Reason.WRONG_KIND


def test_audio_in_a_format_for_video_only_is_not_accepted(examine: Callable[..., Verdict]) -> None:
    assert examine(sound("avi", "libmp3lame")).reason is Reason.NOT_MEDIA


@pytest.mark.parametrize("tags", [1, 2, 15])
def test_tags_in_a_row_in_front_of_an_mp3_are_passed_over(tags: int, accepted: Callable[..., Facts]) -> None:
    facts = accepted(TAG * tags + sound(), Kind.AUDIO)
    assert facts.content_type == "audio/mpeg"
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("body", [TAG * 17, b"ID3"], ids=["many", "cut"])
def test_tags_without_end_are_no_media(body: bytes, examine: Callable[..., Verdict]) -> None:
    verdict = examine(body + (sound() if body != b"ID3" else b""), None)
    assert verdict.reason is Reason.NOT_MEDIA
