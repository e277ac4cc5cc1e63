"""A second opinion on accepted files: decodes each one whole by other code than the checks, in a process of its own.

Reads lines of a kind, or `json`, and a path, answers each with `ok` or with what went wrong. Imports nothing of ours.
"""

import json
import logging
import os
import signal
import sys
import warnings
import zipfile
from collections.abc import Callable

import av
import av.logging
import pypdf
from PIL import Image, ImageSequence

SECONDS = 60


def decode_media(path: str) -> None:
    """Every stream of sound or pictures gives frames; what FFmpeg calls an error is one."""
    with av.open(path, metadata_errors="replace") as container:
        streams = [*container.streams.video, *container.streams.audio]
        frames = dict.fromkeys([stream.index for stream in streams], 0)
        for stream in streams:
            # With several, its VP8 decoder calls pictures broken that it makes with one, as libvpx does.
            stream.codec_context.thread_count = 1
        for packet in container.demux(streams):
            frames[packet.stream.index] += len(packet.decode())
    if not frames or not all(frames.values()):
        raise ValueError(f"frames by stream: {frames}")


def decode_image(path: str) -> None:
    """Every frame gives its pixels."""
    with Image.open(path) as image:
        for frame in ImageSequence.Iterator(image):
            frame.convert("RGBA").tobytes()


def decode_pdf(path: str) -> None:
    """There are pages, and the words of each can be told."""
    reader = pypdf.PdfReader(path)
    if reader.is_encrypted:
        reader.decrypt("")
    if not [page.extract_text() for page in reader.pages]:
        raise ValueError("no pages")


def decode_archive(path: str) -> None:
    """Every entry has its check sum."""
    with zipfile.ZipFile(path) as archive:
        if not archive.namelist() or archive.testzip() is not None:
            raise ValueError("a bad entry, or none")


def decode_text(path: str) -> str:
    """It is Unicode."""
    with open(path, "rb") as file:
        return file.read().decode("utf-8-sig")


def decode_json(path: str) -> None:
    """It is JSON."""
    json.loads(decode_text(path))


DECODE: dict[str, Callable[[str], object]] = {
    "video": decode_media,
    "audio": decode_media,
    "image": decode_image,
    "pdf": decode_pdf,
    "archive": decode_archive,
    "text": decode_text,
    "json": decode_json,
}


def opinion(kind: str, path: str) -> str:
    """`ok`, or the error's name and text."""
    try:
        DECODE[kind](path)
    except Exception as error:  # noqa: BLE001 (a decoder may raise anything)
        return f"{type(error).__name__}: {error}".replace("\n", " ")[:300]
    return "ok"


def answer(kind: str, path: str) -> str:
    """The opinion of a fresh child; its death is one too."""
    theirs, ours = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        os.write(ours, opinion(kind, path).encode(errors="replace"))
        os._exit(0)
    os.close(ours)
    with os.fdopen(theirs, "rb") as said:
        text = said.read().decode()
    _, status = os.waitpid(pid, 0)
    return text or f"the decoder died (wait status {status})"


def main() -> None:
    """Answer until standard input ends."""
    warnings.simplefilter("ignore")
    logging.disable()
    av.logging.set_level(None)
    for line in sys.stdin:
        kind, _, path = line.rstrip("\n").partition("\t")
        print(answer(kind, path), flush=True)


if __name__ == "__main__":
    main()
