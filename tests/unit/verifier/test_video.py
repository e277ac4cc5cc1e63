"""Video: containers, codecs, durations, damage and what is refused."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from services.verifier.facts import Facts, Verdict
from services.verifier.policy import Limits
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.moving import RATE, sound, video

FRAGMENTED = (("movflags", "frag_keyframe+empty_moov+default_base_moof"),)
FASTSTART = (("movflags", "faststart"),)
QUIET_X265 = (("x265-params", "log-level=none:pools=1"),)
GOOD = {
    "mp4": (partial(video, audio="aac"), "video/mp4", ("h264", "aac")),
    "mov": (partial(video, "mov"), "video/quicktime", ("h264",)),
    "prores": (partial(video, "mov", "prores_ks", pixels="yuv422p10le"), "video/quicktime", ("prores",)),
    "webm vp8": (partial(video, "webm", "libvpx", audio="libopus"), "video/webm", ("vp8", "opus")),
    "webm vp9": (partial(video, "webm", "libvpx-vp9"), "video/webm", ("vp9",)),
    "matroska": (partial(video, "matroska", audio="aac"), "video/x-matroska", ("h264", "aac")),
    "hevc": (partial(video, "mp4", "libx265", coding=QUIET_X265), "video/mp4", ("hevc",)),
    "mpeg4": (partial(video, "mp4", "mpeg4"), "video/mp4", ("mpeg4",)),
    "avi": (partial(video, "avi", "mjpeg", pixels="yuvj420p"), "video/x-msvideo", ("mjpeg",)),
}
SAMPLED = replace(
    Limits(), whole_decode_pixels=128 * 96 * 8, sample_pixels=128 * 96 * 6, whole_decode_packets=20, sample_packets=10
)
"""Limits under which a clip of a few seconds is too long to be decoded whole."""


@pytest.mark.parametrize("name", GOOD)
def test_a_good_video_is_accepted_with_its_facts(name: str, accepted: Callable[..., Facts]) -> None:
    make, content_type, codecs = GOOD[name]
    facts = accepted(make(), Kind.VIDEO)
    assert (facts.content_type, facts.codecs) == (content_type, codecs)
    assert (facts.width, facts.height, facts.frames) == (128, 96, 2 * RATE)
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)
    assert facts.frame_rate == pytest.approx(RATE, abs=0.1)
    assert facts.has_audio == (len(codecs) == 2)
    assert facts.notes == ()


def test_fr36_moov_first_and_moov_last_give_the_same_facts(accepted: Callable[..., Facts]) -> None:
    last, first = video(audio="aac"), video(audio="aac", muxing=FASTSTART)
    assert last.index(b"mdat") < last.index(b"moov")
    assert first.index(b"moov") < first.index(b"mdat")
    assert accepted(last) == accepted(first)


def test_fr37_a_fragmented_mp4_with_a_zero_duration_is_accepted(accepted: Callable[..., Facts]) -> None:
    data = video(audio="aac", muxing=FRAGMENTED)
    header = data.index(b"mvhd")
    assert data[header + 20 : header + 24] == b"\0\0\0\0"
    assert accepted(data, Kind.VIDEO).duration_seconds == pytest.approx(2.0, abs=0.1)


def test_fr37_a_webm_recording_without_duration_and_sizes_is_measured_by_its_packets(
    accepted: Callable[..., Facts],
) -> None:
    data = video("webm", "libvpx", muxing=(("live", "1"),))
    facts = accepted(data, Kind.VIDEO)
    assert facts.duration_source == "packets"
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("stated", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"])
def test_fr37_an_mp4_whose_headers_state_no_or_an_absurd_duration_is_no_49_days_long(
    stated: bytes, accepted: Callable[..., Facts]
) -> None:
    data = bytearray(video())
    for box, offset in ((b"mvhd", 20), (b"tkhd", 24), (b"mdhd", 20)):
        at = data.index(box) + offset
        data[at : at + 4] = stated
    facts = accepted(bytes(data), Kind.VIDEO)
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)


def test_an_mp4_whose_header_states_more_than_its_samples_is_noted(accepted: Callable[..., Facts]) -> None:
    data = bytearray(video())
    at = data.index(b"mvhd") + 20
    data[at : at + 4] = (60_000).to_bytes(4)
    facts = accepted(bytes(data), Kind.VIDEO)
    assert facts.duration_seconds == pytest.approx(2.0, abs=0.1)
    assert "stated_duration_differs" in facts.notes


def test_a_fragmented_mp4_that_ends_before_its_header_says_is_truncated(examine: Callable[..., Verdict]) -> None:
    """Cut between two fragments, so that no box is."""
    data = video(muxing=FRAGMENTED)
    header, extends = data.index(b"mvhd") + 16, data.index(b"mvex")
    length = int.from_bytes(data[header : header + 4]) * 60
    box = (16).to_bytes(4) + b"mehd" + bytes(4) + length.to_bytes(4)
    told = bytearray(data[: extends + 4] + box + data[extends + 4 :])
    for name in (b"moov", b"mvex"):
        at = told.index(name) - 4
        told[at : at + 4] = (int.from_bytes(told[at : at + 4]) + len(box)).to_bytes(4)
    verdict = examine(bytes(told), Kind.VIDEO)
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "duration")
    assert verdict.detail.startswith("truncated: the fragments end at 2.")


def test_fr37_a_single_frame_is_a_video(accepted: Callable[..., Facts]) -> None:
    assert accepted(video(seconds=1 / RATE), Kind.VIDEO).frames == 1


def test_a_rotated_video_states_how_it_is_shown(accepted: Callable[..., Facts]) -> None:
    assert accepted(video(rotation=90)).rotation in {90, 270}
    assert accepted(video()).rotation == 0


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0], ids=["half", "nine tenths", "last byte"])
def test_a_cut_video_is_truncated(name: str, share: float, examine: Callable[..., Verdict]) -> None:
    data = GOOD[name][0]()
    verdict = examine(data[: int(len(data) * share) - 1], Kind.VIDEO)
    assert verdict.reason is Reason.UNDECODABLE
    assert verdict.detail.startswith("truncated")


@pytest.mark.parametrize("muxing", [FRAGMENTED, FASTSTART], ids=["fragmented", "faststart"])
def test_a_cut_mp4_of_any_layout_is_truncated(
    muxing: tuple[tuple[str, str], ...], examine: Callable[..., Verdict]
) -> None:
    data = video(audio="aac", muxing=muxing)
    assert examine(data[: len(data) // 2]).detail.startswith("truncated")


def test_a_cut_webm_recording_is_truncated(examine: Callable[..., Verdict]) -> None:
    data = video("webm", "libvpx", muxing=(("live", "1"),))
    assert examine(data[: len(data) // 2]).detail.startswith("truncated")


@pytest.mark.parametrize("name", ["mp4", "webm vp9", "matroska", "avi"])
def test_bytes_after_the_end_are_noted(name: str, accepted: Callable[..., Facts]) -> None:
    assert accepted(GOOD[name][0]() + b"PK\3\4 something else").notes == ("trailing_bytes",)


@pytest.mark.parametrize("name", ["mp4", "mpeg4", "matroska"])
def test_media_data_with_flipped_bits_is_undecodable(name: str, examine: Callable[..., Verdict]) -> None:
    data = bytearray(GOOD[name][0]())
    for at in range(len(data) // 4, len(data) // 2, 97):
        data[at] ^= 0x10
    assert examine(bytes(data), Kind.VIDEO).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("name", ["mp4", "webm vp9", "hevc", "mpeg4"])
def test_a_hole_of_zeros_in_the_media_data_is_undecodable(name: str, examine: Callable[..., Verdict]) -> None:
    data = bytearray(GOOD[name][0]())
    third = len(data) // 3
    data[third : 2 * third] = bytes(third)
    assert examine(bytes(data), Kind.VIDEO).reason is Reason.UNDECODABLE


@pytest.mark.parametrize(
    "make",
    [
        partial(video, seconds=6, coding=(("g", "24"),)),
        partial(video, seconds=6, audio="aac", coding=(("g", "24"),), muxing=FRAGMENTED),
        partial(video, "webm", "libvpx", seconds=6, audio="libopus", coding=(("g", "24"),), muxing=(("live", "1"),)),
        partial(video, "webm", "libvpx-vp9", seconds=6, coding=(("g", "30"),)),
        partial(video, "avi", "mpeg4", seconds=6, coding=(("g", "12"),)),
    ],
    ids=["mp4", "fragmented", "recording", "vp9", "avi"],
)
def test_a_long_video_is_decoded_in_samples(make: Callable[[], bytes], accepted: Callable[..., Facts]) -> None:
    facts = accepted(make(), Kind.VIDEO, SAMPLED)
    assert facts.frames is not None
    assert facts.frames_decoded is not None
    assert 8 <= facts.frames_decoded < facts.frames


@pytest.mark.parametrize("how", ["open-gop=1:bframes=3:scenecut=0", "intra-refresh=1"])
def test_a_video_without_clean_key_frames_is_decoded_from_its_start(how: str, accepted: Callable[..., Facts]) -> None:
    data = video(seconds=6, coding=(("x264-params", f"{how}:keyint=24"),))
    assert (accepted(data, Kind.VIDEO, SAMPLED).frames_decoded or 0) >= 6 * RATE


@pytest.mark.parametrize("place", [0.02, 0.5, 0.97], ids=["start", "middle", "end"])
def test_damage_in_a_sample_of_a_long_video_is_seen(place: float, examine: Callable[..., Verdict]) -> None:
    data = bytearray(video(seconds=10, coding=(("g", "12"),), muxing=FASTSTART))
    start = data.index(b"mdat") + 8
    centre = start + int((len(data) - start) * place)
    damaged = range(max(start, centre - 6000), min(len(data), centre + 6000), 7)
    for at in damaged:
        data[at] ^= 0x55
    assert examine(bytes(data), Kind.VIDEO, SAMPLED).reason is Reason.UNDECODABLE


def test_a_video_whose_end_is_far_from_a_key_frame_says_that_it_was_not_decoded(
    accepted: Callable[..., Facts],
) -> None:
    data = video(seconds=10, coding=(("g", "1000"), ("x264-params", "scenecut=0")))
    assert accepted(data, Kind.VIDEO, SAMPLED).notes == ("end_not_decoded",)


def test_fault104_a_codec_that_is_not_listed_is_never_opened(examine: Callable[..., Verdict]) -> None:
    verdict = examine(video("avi", "magicyuv", pixels="yuv444p"), Kind.VIDEO)
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "codecs")


@pytest.mark.parametrize("entry", [(b"avc1", b"encv"), (b"mp4a", b"enca")])
def test_encrypted_samples_are_refused_as_such(entry: tuple[bytes, bytes], examine: Callable[..., Verdict]) -> None:
    data = video(audio="aac")
    at = data.index(b"stsd")
    clear, encrypted = entry
    found = data.index(clear, at)
    verdict = examine(data[:found] + encrypted + data[found + 4 :])
    assert verdict.reason is Reason.ENCRYPTED


def test_too_many_pixels_are_unsafe(examine: Callable[..., Verdict]) -> None:
    assert examine(video(), None, replace(Limits(), video_pixels=1000)).reason is Reason.UNSAFE_MEDIA


def test_too_many_seconds_are_unsafe(examine: Callable[..., Verdict]) -> None:
    assert examine(video(), None, replace(Limits(), seconds=1.0)).reason is Reason.UNSAFE_MEDIA


def test_too_many_boxes_are_unsafe(examine: Callable[..., Verdict]) -> None:
    data = video() + b"\0\0\0\x08free" * 200
    assert examine(data, None, replace(Limits(), boxes=100)).reason is Reason.UNSAFE_MEDIA


def test_an_audio_file_is_no_video(examine: Callable[..., Verdict]) -> None:
    assert examine(sound("mp4", "aac"), Kind.VIDEO).reason is Reason.WRONG_KIND


def test_a_playlist_is_never_followed(examine: Callable[..., Verdict]) -> None:
    for text in (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", b"ffconcat version 1.0\nfile /etc/passwd\n"):
        assert examine(text, Kind.VIDEO).reason is Reason.NOT_MEDIA
