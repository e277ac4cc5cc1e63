"""Images by Pillow: every frame is decoded whole, inside the limits."""

import struct
from collections.abc import Callable

from PIL import AvifImagePlugin, Image, ImageFile

from services.verifier.checks.boxes import whole_boxes
from services.verifier.checks.pictures import whole_gif, whole_ico, whole_jpeg, whole_png, whole_tiff
from services.verifier.checks.riff import whole_riff
from services.verifier.checks.subject import NotApplicable, Refused, Subject
from services.verifier.checks.undecoded import whole_heic, whole_jxl
from shared.reasons import Reason

WHOLE: dict[str, Callable[[Subject], None]] = {
    "png": whole_png,
    "jpeg": whole_jpeg,
    "gif": whole_gif,
    "webp": whole_riff,
    "avif": whole_boxes,
    "tiff": whole_tiff,
    "ico": whole_ico,
    "heic": whole_heic,
    "jxl": whole_jxl,
}
"""How the end is proven; a cut file of the other formats does not decode."""

ORIENTATION = 274
ROTATIONS = {3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}
BAD_EXIF = (SyntaxError, ValueError, OSError, struct.error, KeyError, TypeError, IndexError)


def set_up(pixels: int) -> None:
    """Make Pillow strict for this process: no cut files, no image of more than `pixels`, no threads."""
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = pixels // 2  # it refuses what is twice as large, and only warns before
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1


def image_bytes(subject: Subject) -> None:
    """The file is no larger than an image may be."""
    if subject.size > subject.limits.image_bytes:
        raise Refused(Reason.UNSAFE_MEDIA, f"an image of more than {subject.limits.image_bytes} bytes")


def whole_image(subject: Subject) -> None:
    """The format's own end mark and check sums are there."""
    check = WHOLE.get(subject.format.name)
    if check is None:
        raise NotApplicable
    check(subject)


def image_header(subject: Subject) -> None:
    """The header is readable, and the format is the one of the signature."""
    if not subject.format.reader:
        raise NotApplicable
    subject.file.seek(0)
    picture = Image.open(subject.file, formats=(subject.format.reader,))
    subject.opened = picture
    subject.found |= {"width": picture.width, "height": picture.height, "codecs": (subject.format.name,)}


def image_size(subject: Subject) -> None:
    """Width, height and number of frames are above zero and inside the limits."""
    picture, limits = _picture(subject), subject.limits
    pixels, frames = picture.width * picture.height, int(getattr(picture, "n_frames", 1))
    if pixels > limits.pixels:
        raise Refused(Reason.UNSAFE_MEDIA, f"{picture.width} x {picture.height} pixels")
    if frames > limits.animation_frames or pixels * frames > limits.animation_pixels:
        raise Refused(Reason.UNSAFE_MEDIA, f"{frames} frames of {picture.width} x {picture.height} pixels")
    if pixels == 0 or frames == 0:
        raise Refused(Reason.UNDECODABLE, "the image has no pixels")
    subject.found["frames"] = frames


def image_frames(subject: Subject) -> None:
    """Every frame decodes to its last pixel."""
    picture = _picture(subject)
    milliseconds, frames = 0.0, int(getattr(picture, "n_frames", 1))
    for number in range(frames):
        picture.seek(number)
        picture.load()
        milliseconds += float(picture.info.get("duration") or 0)
    subject.found["frames_decoded"] = frames
    if frames > 1 and milliseconds > 0:
        subject.found |= {"duration_seconds": milliseconds / 1000, "duration_source": "frames"}
    subject.found["rotation"] = _rotation(subject, picture)


def _picture(subject: Subject) -> Image.Image:
    """The opened image. Raises NotApplicable where no decoder could open it."""
    if not subject.format.reader:
        raise NotApplicable
    return subject.opened_as(Image.Image)


def _rotation(subject: Subject, picture: Image.Image) -> int:
    """Degrees of the EXIF orientation; EXIF data that cannot be read is noted, the picture may be good."""
    try:
        return ROTATIONS.get(picture.getexif().get(ORIENTATION, 1), 0)
    except BAD_EXIF:
        subject.note("bad_exif")
        return 0
