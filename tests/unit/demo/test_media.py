"""The made media is what its name says, judged by reading it back."""

import io

import av
from PIL import Image
from pypdf import PdfReader

from deploy.local.demo import media


def test_the_video_is_h264_and_aac_with_its_index_at_the_end() -> None:
    body = media.video(seconds=2)
    with av.open(io.BytesIO(body), "r") as container:
        assert {stream.type: stream.codec_context.name for stream in container.streams} == {
            "video": "h264",
            "audio": "aac",
        }
        pictures = [bytes(frame.planes[0]) for frame in container.decode(video=0)]
    assert len(pictures) == 2 * media.FRAMES_PER_SECOND
    assert len(set(pictures)) > len(pictures) / 2, "the picture moves"
    assert body.index(b"mdat") < body.index(b"moov")


def test_the_audio_decodes_to_its_length() -> None:
    with av.open(io.BytesIO(media.audio(seconds=2)), "r") as container:
        samples = sum(frame.samples for frame in container.decode(audio=0))
    assert abs(samples / media.SAMPLE_RATE - 2) < 0.1


def test_the_image_is_a_png_with_more_than_one_colour() -> None:
    with Image.open(io.BytesIO(media.image())) as picture:
        assert picture.format == "PNG"
        assert picture.size == (media.WIDTH, media.HEIGHT)
        assert len(picture.getcolors(maxcolors=2**20) or []) > 2


def test_the_document_is_a_pdf_of_one_page_that_shows_something() -> None:
    (page,) = PdfReader(io.BytesIO(media.document()), strict=True).pages
    (drawn,) = page.images
    assert drawn.image is not None
    assert len(drawn.image.getcolors(maxcolors=2**20) or []) > 2


def test_media_made_twice_has_the_same_bytes() -> None:
    assert media.image() == media.image()
    assert media.document() == media.document()
    assert media.video(seconds=1) == media.video(seconds=1)
