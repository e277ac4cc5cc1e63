"""Small real media files, made on the spot: a video with sound, a picture, a document and a tone."""

import math
from array import array
from collections.abc import Iterator
from fractions import Fraction
from io import BytesIO
from time import gmtime

import av
from av.audio.stream import AudioStream
from av.container import OutputContainer
from PIL import Image, ImageDraw

WIDTH, HEIGHT, FRAMES_PER_SECOND = 640, 360, 24
SAMPLE_RATE, TONE_HZ = 44_100, 440
SAMPLES_PER_FRAME = 1024
BACKGROUND, INK = (24, 32, 56), (250, 200, 80)


def video(seconds: int = 4) -> bytes:
    """An MP4 of H.264 (640x360, 24 frames per second) and AAC (mono, 440 Hz), its index at the end."""
    body = BytesIO()
    with av.open(body, "w", format="mp4", options={"fflags": "+bitexact"}) as container:
        picture = container.add_stream("libx264", rate=FRAMES_PER_SECOND, options={"preset": "veryfast"})
        picture.width, picture.height, picture.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        sound = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono")
        for number in range(seconds * FRAMES_PER_SECOND):
            pixels = _moving_picture(number).convert("RGBA").tobytes()
            container.mux(picture.encode(av.VideoFrame.from_bytes(pixels, WIDTH, HEIGHT)))
        container.mux(picture.encode(None))
        _write_tone(container, sound, seconds)
    return body.getvalue()


def audio(seconds: int = 3) -> bytes:
    """An MP3 (mono, 44.1 kHz) of a 440 Hz tone."""
    body = BytesIO()
    with av.open(body, "w", format="mp3", options={"fflags": "+bitexact"}) as container:
        sound = container.add_stream("libmp3lame", rate=SAMPLE_RATE, layout="mono")
        _write_tone(container, sound, seconds)
    return body.getvalue()


def image() -> bytes:
    """A PNG of 640x360 pixels."""
    body = BytesIO()
    _moving_picture(40).save(body, "PNG")
    return body.getvalue()


def document() -> bytes:
    """A PDF of one A4 page with a line of text and a box."""
    page = Image.new("RGB", (595, 842), "white")
    draw = ImageDraw.Draw(page)
    draw.text((60, 80), "An asset must outlast its link.", fill="black", font_size=28)
    draw.rectangle((60, 140, 535, 400), fill=BACKGROUND, outline=INK, width=6)
    body = BytesIO()
    page.save(body, "PDF", title="Outlast", creationDate=gmtime(0), modDate=gmtime(0))
    return body.getvalue()


def _moving_picture(number: int) -> Image.Image:
    picture = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    draw = ImageDraw.Draw(picture)
    left = number * 6 % (WIDTH - 80)
    draw.ellipse((left, 140, left + 80, 220), fill=INK)
    draw.text((20, 20), f"frame {number}", fill="white", font_size=24)
    return picture


def _write_tone(container: OutputContainer, sound: AudioStream, seconds: int) -> None:
    for frame in _tone(seconds):
        container.mux(sound.encode(frame))
    container.mux(sound.encode(None))


def _tone(seconds: int) -> Iterator[av.AudioFrame]:
    for start in range(0, seconds * SAMPLE_RATE, SAMPLES_PER_FRAME):
        instants = range(start, start + SAMPLES_PER_FRAME)
        wave = (int(9000 * math.sin(2 * math.pi * TONE_HZ * n / SAMPLE_RATE)) for n in instants)
        frame = av.AudioFrame(format="s16", layout="mono", samples=SAMPLES_PER_FRAME)
        frame.planes[0].update(array("h", wave).tobytes())
        frame.sample_rate, frame.pts, frame.time_base = SAMPLE_RATE, start, Fraction(1, SAMPLE_RATE)
        yield frame
