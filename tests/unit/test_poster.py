"""The expensive step of the example processor: the frame it takes, and the videos it takes none from."""

from collections.abc import Sequence
from io import BytesIO

import av
import pytest
from PIL import Image

from examples.poster.frame import NoUsableFrame, make_poster
from shared.errors import LeaseLost
from tests.media.moving import sound, video

SIZE = (64, 48)
BLACK, GREY = Image.new("RGB", SIZE), Image.new("RGB", SIZE, (120, 120, 120))


def halves(left: int, right: int) -> Image.Image:
    picture = Image.new("RGB", SIZE, (left,) * 3)
    picture.paste((right,) * 3, (32, 0, 64, 48))
    return picture


def clip(pictures: Sequence[Image.Image]) -> BytesIO:
    body = BytesIO()
    with av.open(body, "w", format="mp4") as output:
        stream = output.add_stream("mpeg4", rate=24)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for picture in pictures:
            frame = av.VideoFrame.from_bytes(picture.convert("RGBA").tobytes(), *SIZE)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    body.seek(0)
    return body


def poster_of(body: BytesIO) -> Image.Image:
    return Image.open(BytesIO(make_poster(body, lambda: None)))


def test_the_frame_with_the_most_contrast_is_taken() -> None:
    poster = poster_of(clip([BLACK, halves(100, 140), halves(20, 230), halves(90, 150), GREY]))
    assert (poster.format, poster.size) == ("JPEG", SIZE)
    left, right = (poster.convert("L").getpixel((x, 24)) for x in (10, 54))
    assert isinstance(left, int)
    assert isinstance(right, int)
    assert left < 45
    assert right > 205


def test_a_turned_video_has_an_upright_poster() -> None:
    assert poster_of(BytesIO(video(rotation=90))).size == (96, 128)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (clip([BLACK] * 12), "every frame is plain"),
        (clip([GREY] * 12), "every frame is plain"),
        (BytesIO(sound()), "cannot be decoded"),
        (BytesIO(b"no video at all"), "cannot be decoded"),
        (BytesIO(b""), "cannot be decoded"),
    ],
)
def test_a_video_without_a_usable_frame_is_told(body: BytesIO, why: str) -> None:
    with pytest.raises(NoUsableFrame, match=why):
        make_poster(body, lambda: None)


def test_a_step_whose_lease_is_lost_stops_between_two_frames() -> None:
    checks = iter(range(3))

    def check() -> None:
        if next(checks, None) is None:
            raise LeaseLost("taken over")

    with pytest.raises(LeaseLost):
        make_poster(BytesIO(video()), check)
