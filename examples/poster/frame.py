"""The expensive step: the poster of a video. It knows no queue, no ledger and no bucket."""

from collections.abc import Callable
from io import BytesIO
from itertools import islice
from typing import IO, Any

import av
from PIL import Image, ImageStat

MOST_FRAMES, MOST_PIXELS = 3000, 64_000_000
LEAST_CONTRAST = 8.0
"""Standard deviation of the grey values, 0 to 255, under which a frame is a plain one."""
WIDTH = 1280


class NoUsableFrame(Exception):  # noqa: N818 (what the video is)
    """Nothing in this video makes a poster."""


def make_poster(video: IO[bytes], check: Callable[[], None]) -> bytes:
    """A JPEG of the frame with the most contrast; `check` is called between frames and may raise."""
    best, contrast = None, LEAST_CONTRAST
    try:
        with av.open(video, "r") as container:
            for frame in islice(container.decode(video=0), MOST_FRAMES):
                check()
                if (found := _contrast(frame)) > contrast:
                    best, contrast = frame, found
    except (av.FFmpegError, IndexError) as error:
        raise NoUsableFrame(f"it cannot be decoded: {type(error).__name__}") from error
    if best is None:
        raise NoUsableFrame("every frame is plain")
    poster, body = _picture(best).rotate(best.rotation, expand=True), BytesIO()
    poster.thumbnail((WIDTH, WIDTH))
    poster.save(body, "JPEG", quality=85)
    return body.getvalue()


def _contrast(frame: av.VideoFrame) -> float:
    if frame.width * frame.height > MOST_PIXELS:
        raise NoUsableFrame("its frames are too large")
    return ImageStat.Stat(_picture(frame.reformat(width=96, height=54)).convert("L")).stddev[0]


def _picture(frame: Any) -> Image.Image:
    picture: Image.Image = frame.to_image()
    return picture
