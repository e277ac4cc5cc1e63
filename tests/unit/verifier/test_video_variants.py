"""Video as recorders, cutters, cameras and packagers leave it: honest oddities are accepted."""

from collections.abc import Callable
from functools import partial

import pytest

from services.verifier.facts import Facts, Verdict
from shared.messages import Kind
from shared.reasons import Reason
from tests.media.moving import RATE, video
from tests.media.remuxed import (
    from_second_key,
    uneven,
    with_packets,
    with_tracks,
    without_last,
)

GROUPS = {
    "h264": partial(video, seconds=4, audio="aac", coding=(("x264-params", "bframes=3:keyint=24:scenecut=0"),)),
    "open h264": partial(
        video, seconds=4, coding=(("x264-params", "open-gop=1:bframes=3:b-adapt=0:keyint=25:scenecut=0"),)
    ),
    "hevc": partial(
        video,
        "mp4",
        "libx265",
        seconds=4,
        coding=(("x265-params", "log-level=none:pools=1:keyint=24:open-gop=1:bframes=3"),),
    ),
    "mpeg4": partial(video, "mp4", "mpeg4", seconds=4, coding=(("bf", "2"), ("g", "24"))),
}
PQ = "log-level=none:pools=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
HLG = PQ.replace("smpte2084", "arib-std-b67")


@pytest.mark.parametrize("container", ["mp4", "matroska"])
@pytest.mark.parametrize("missing", [1, 2, 3])
@pytest.mark.parametrize("name", GROUPS)
def test_a_video_whose_last_frames_are_missing_is_accepted(
    name: str, missing: int, container: str, accepted: Callable[..., Facts]
) -> None:
    assert accepted(without_last(GROUPS[name](), missing, container), Kind.VIDEO).frames == 4 * RATE - missing


@pytest.mark.parametrize("name", GROUPS)
def test_a_video_that_was_cut_at_a_key_frame_is_accepted_with_what_is_left_over(
    name: str, accepted: Callable[..., Facts]
) -> None:
    facts = accepted(from_second_key(GROUPS[name]()), Kind.VIDEO)
    assert facts.notes == (("leading_frames_lost",) if name == "open h264" else ())


def test_a_video_without_its_first_key_frame_shows_nothing_and_is_undecodable(
    examine: Callable[..., Verdict],
) -> None:
    headless = with_packets(video(seconds=1), lambda number, _: number > 0)
    assert examine(headless, Kind.VIDEO).reason is Reason.UNDECODABLE


def test_frames_that_are_missing_in_the_middle_are_undecodable(examine: Callable[..., Verdict]) -> None:
    holed = with_packets(GROUPS["hevc"](), lambda number, _: number not in {40, 41})
    assert examine(holed, Kind.VIDEO).reason is Reason.UNDECODABLE


def test_a_variable_frame_rate_is_noted_and_its_mean_told(accepted: Callable[..., Facts]) -> None:
    facts = accepted(uneven(video()), Kind.VIDEO)
    assert facts.notes == ("variable_frame_rate",)
    assert facts.frame_rate == pytest.approx(48 / 5, rel=0.1)
    assert facts.step_seconds == pytest.approx(4 / RATE, abs=0.01)


def test_an_even_frame_rate_is_no_variable_one(accepted: Callable[..., Facts]) -> None:
    facts = accepted(video("webm", "libvpx", muxing=(("live", "1"),)), Kind.VIDEO)
    assert facts.notes == ()
    assert facts.step_seconds == pytest.approx(1 / RATE, abs=0.002)


@pytest.mark.parametrize(("params", "transfer"), [(PQ, "smpte2084"), (HLG, "arib_std_b67")])
def test_a_video_of_high_dynamic_range_says_so(params: str, transfer: str, accepted: Callable[..., Facts]) -> None:
    made = video("mp4", "libx265", seconds=0.5, pixels="yuv420p10le", coding=(("x265-params", params),))
    facts = accepted(made, Kind.VIDEO)
    assert (facts.is_hdr, facts.color_transfer, facts.pixel_format) == (True, transfer, "yuv420p10le")


def test_an_ordinary_video_is_neither_hdr_nor_transparent(accepted: Callable[..., Facts]) -> None:
    facts = accepted(video(), Kind.VIDEO)
    assert (facts.is_hdr, facts.has_alpha, facts.pixel_format) == (False, False, "yuv420p")


@pytest.mark.parametrize(
    ("made", "notes"),
    [
        (partial(video, "webm", "libvpx-vp9", seconds=0.5, pixels="yuva420p"), ("alpha_not_decoded",)),
        (
            partial(video, "webm", "libvpx", seconds=0.5, pixels="yuva420p", coding=(("auto-alt-ref", "0"),)),
            ("alpha_not_decoded",),
        ),
        (partial(video, "mov", "prores_ks", seconds=0.5, pixels="yuva444p10le"), ()),
    ],
    ids=["vp9", "vp8", "prores 4444"],
)
def test_a_transparent_video_says_so_and_whether_that_was_decoded(
    made: Callable[[], bytes], notes: tuple[str, ...], accepted: Callable[..., Facts]
) -> None:
    facts = accepted(made(), Kind.VIDEO)
    assert (facts.has_alpha, facts.notes) == (True, notes)


@pytest.mark.parametrize(("videos", "audios"), [(1, 2), (2, 1)])
@pytest.mark.parametrize("container", ["matroska", "mov"])
def test_a_file_of_several_tracks_has_them_counted_and_all_decoded(
    videos: int, audios: int, container: str, accepted: Callable[..., Facts]
) -> None:
    facts = accepted(with_tracks(videos, audios, container), Kind.VIDEO)
    assert (facts.video_tracks, facts.audio_tracks, facts.other_tracks) == (videos, audios, 0)
    assert (facts.frames_decoded or 0) >= videos * 2 * RATE
