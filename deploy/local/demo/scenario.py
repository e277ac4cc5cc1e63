"""What the demonstration sends: media that must arrive, or a folder of a person's own files."""

import mimetypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from deploy.local.demo import media
from deploy.local.demo.provider import DemoProvider, Offer
from outlast.publish import output_ready
from shared.messages import Kind, OutputReadyEvent
from shared.reasons import Reason

ACCOUNT = PROVIDER = PROVIDER_ACCOUNT = "demo"
LINK_SECONDS = 8
"""Life of a link to made media."""
DEAD_SECONDS = LINK_SECONDS + 2
"""Age at which such a link is dead for certain."""
FILE_LINK_SECONDS = 60
"""Life of a link to a person's own file."""

PAGE = b"<!DOCTYPE html>\n<html><head><title>Just a moment</title></head><body>We are busy.</body></html>\n"
NO_MEDIA = frozenset({Reason.ERROR_BODY, Reason.NOT_MEDIA})
LOST = frozenset({Reason.JOB_RECORD_GONE, Reason.URL_EXPIRED, Reason.SOURCE_GONE})
COMPLETE: frozenset[Reason] = frozenset()


@dataclass(frozen=True)
class Capture:
    """One output that is sent through Outlast, and how it must end.

    `ending`: the reasons of which one must stop it; empty = it must complete; None = either will do.
    `link_age`: seconds that the published link is old already.
    """

    label: str
    offer: Offer
    kind: Kind | None
    ending: frozenset[Reason] | None = COMPLETE
    link_age: int = 0
    note: str = ""

    def event(self, provider: DemoProvider, now: datetime) -> OutputReadyEvent:
        """The event of this output, with a link that the provider makes now."""
        return output_ready(
            event_id=self.offer.job_id,
            source="outlast.demo",
            provider=PROVIDER,
            provider_account=PROVIDER_ACCOUNT,
            job_id=self.offer.job_id,
            output_id="0",
            url=provider.link(self.offer.job_id, age=self.link_age),
            ready_at=now - timedelta(seconds=self.link_age),
            kind=self.kind,
            display_name=self.label,
        )


def made_media(run: str) -> list[Capture]:
    """Seven outputs: four good ones, a dead link, an error page, and one that is lost. CPU: about 1 s."""

    def offer(name: str, body: bytes, content_type: str | None = None, *, has_record: bool = True) -> Offer:
        job_id = f"{run}-{name.partition('.')[0]}"
        return Offer(job_id, name, content_type or content_type_of(name), body, LINK_SECONDS, has_record)

    video, picture = media.video(), media.image()
    late = f"its first link was dead {DEAD_SECONDS - LINK_SECONDS} s before the event; the provider gave a fresh one"
    page = "its link gives a web page with status 200"
    lost = "its link was dead before the event, and the provider has forgotten the job"
    return [
        Capture("video.mp4", offer("video.mp4", video), Kind.VIDEO),
        Capture("picture.png", offer("picture.png", picture), Kind.IMAGE),
        Capture("document.pdf", offer("document.pdf", media.document()), Kind.PDF),
        Capture("tone.mp3", offer("tone.mp3", media.audio()), Kind.AUDIO),
        Capture("late.png", offer("late.png", picture), Kind.IMAGE, link_age=DEAD_SECONDS, note=late),
        Capture("page.mp4", offer("page.mp4", PAGE, "text/html"), Kind.VIDEO, NO_MEDIA, note=page),
        Capture("lost.mp4", offer("lost.mp4", video, has_record=False), Kind.VIDEO, LOST, DEAD_SECONDS, lost),
    ]


def own_files(run: str, folder: Path, names: Iterable[Path]) -> Iterator[Capture]:
    """The files of a folder that have these names in it."""
    for number, name in enumerate(names):
        offered = printable(name.name)
        offer = Offer(f"{run}-{number:04d}", offered, content_type_of(offered), folder / name, FILE_LINK_SECONDS)
        yield Capture(printable(str(name)), offer, None, ending=None)


def content_type_of(name: str) -> str:
    """The content type that a store would guess from a file's name."""
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def printable(name: str) -> str:
    """A file's name as a text without control characters and undecodable bytes, 255 characters at most."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)[:255]
