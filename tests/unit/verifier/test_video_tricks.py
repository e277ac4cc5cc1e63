"""Video that is refused: encrypted, with sizes and tables that lie, and playlists in place of it."""

from collections.abc import Callable

import pytest

from services.verifier.facts import Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.moving import video
from tests.media.remuxed import encrypted, encrypted_webm, init_segment

FRAGMENTED = (("movflags", "frag_keyframe+empty_moov+default_base_moof"),)


@pytest.mark.parametrize("muxing", [(), FRAGMENTED], ids=["plain", "fragmented"])
def test_samples_that_a_packager_encrypted_are_refused_as_such(
    muxing: tuple[tuple[str, str], ...], examine: Callable[..., Verdict]
) -> None:
    assert examine(encrypted(muxing=muxing), Kind.VIDEO).reason is Reason.ENCRYPTED


def test_a_webm_whose_track_is_encrypted_is_refused_as_such(examine: Callable[..., Verdict]) -> None:
    verdict = examine(encrypted_webm(), Kind.VIDEO)
    assert (verdict.reason, verdict.check) == (Reason.ENCRYPTED, "clear_samples")


def test_an_init_segment_without_a_sample_is_refused_encrypted_or_not(examine: Callable[..., Verdict]) -> None:
    assert examine(init_segment(encrypted(muxing=FRAGMENTED))).reason is Reason.ENCRYPTED
    assert examine(init_segment(video(muxing=FRAGMENTED))).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("box", [b"moov", b"mdat", b"trak", b"stsz", b"stts"])
def test_a_size_beyond_the_end_of_the_file_or_its_box_is_refused(box: bytes, examine: Callable[..., Verdict]) -> None:
    data = bytearray(video())
    at = data.index(box) - 4
    data[at : at + 4] = (2**31).to_bytes(4)
    assert examine(bytes(data), Kind.VIDEO).reason is Reason.UNDECODABLE


@pytest.mark.parametrize("table", [b"stts", b"stsz", b"stsc", b"stco", b"ctts"])
def test_fault102_a_huge_table_in_an_mp4_is_unsafe(table: bytes, examine: Callable[..., Verdict]) -> None:
    data = bytearray(video(coding=(("bf", "2"),)))
    at = data.index(table) + (12 if table == b"stsz" else 8)
    data[at : at + 4] = (0x0FFFFFFF).to_bytes(4)
    verdict = examine(bytes(data), Kind.VIDEO)
    assert (verdict.reason, verdict.check) == (Reason.UNSAFE_MEDIA, "box_tables")


PLAYLISTS = {
    "m3u8": b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
    "mpd": b'<?xml version="1.0"?>\n<MPD><Period><BaseURL>file:///etc/</BaseURL></Period></MPD>',
    "ffconcat": b"ffconcat version 1.0\nfile /etc/passwd\n",
    "sdp": b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\nc=IN IP4 10.0.0.1\r\nm=video 5004 RTP/AVP 96\r\n",
    "asx": b'<asx version="3.0"><entry><ref href="http://10.0.0.1/"/></entry></asx>',
}


@pytest.mark.parametrize("kind", [Kind.VIDEO, Kind.AUDIO, None])
@pytest.mark.parametrize("name", PLAYLISTS)
def test_a_playlist_is_refused_by_its_first_bytes(
    name: str, kind: Kind | None, examine: Callable[..., Verdict]
) -> None:
    verdict = examine(PLAYLISTS[name], kind)
    assert (verdict.reason, verdict.check) == (Reason.NOT_MEDIA, "no_error_body")


def test_a_vp8_picture_that_browsers_call_corrupt_is_refused_though_ffmpeg_shows_it(
    examine: Callable[..., Verdict],
) -> None:
    data = bytearray(video("webm", "libvpx"))
    # The height in the key frame, behind its start code (RFC 6386, 9.1).
    data[data.index(b"\x9d\x01\x2a") + 5] ^= 0x10
    verdict = examine(bytes(data), Kind.VIDEO)
    assert (verdict.reason, verdict.check) == (Reason.UNDECODABLE, "packets")
