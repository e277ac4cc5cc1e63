"""How long video and audio last: what the header says, held against the packets."""

from fractions import Fraction

from services.verifier.checks.mpeg_audio import states_length
from services.verifier.checks.subject import Refused, Subject, truncated
from services.verifier.checks.tracks import Media, Track
from shared.reasons import Reason

MICROSECONDS = 1_000_000
SLACK_SECONDS, SLACK_SHARE = 0.5, 0.005
"""How far the packets may miss the stated end: encoder delay, edit lists and rounding."""

VARIABLE = 2
"""Where one picture lasts more than so many times as long as another, the frame rate is a mean."""

CONTIGUOUS, MOST_GAP = frozenset({"mp3", "adts", "wav", "flac"}), 0.05
"""Formats in which one packet starts where the last one ends, up to so many seconds."""


def duration(subject: Subject) -> None:
    """The packets reach the stated duration; where none is stated, or an absurd one, they tell it."""
    media = subject.opened_as(Media)
    stated, measured = _stated(subject, media), max(_span(track) for track in media.tracks)
    if stated is not None and max(measured, float(media.end)) < _least(media, stated):
        raise truncated(f"the packets end at {float(media.end):.2f} s of the stated {stated:.2f} s")
    agrees = _heed_headers(subject, max(measured, float(media.end)))
    if subject.format.name in CONTIGUOUS and media.tracks[0].gap > MOST_GAP:
        raise Refused(Reason.UNDECODABLE, f"a hole of {float(media.tracks[0].gap):.2f} s")
    if measured > subject.limits.seconds:
        raise Refused(Reason.UNSAFE_MEDIA, f"{measured:.0f} s of media")
    if stated is not None and measured <= stated + _slack(stated) and agrees:
        subject.found |= {"duration_seconds": stated, "duration_source": "container"}
    elif measured > 0:
        subject.found |= {"duration_seconds": measured, "duration_source": "packets"}
    _frame_rate(subject, media.tracks[0])
    if media.tracks[0].steps[1]:
        subject.found["step_seconds"] = float(media.tracks[0].steps[1] * media.tracks[0].base)


def _heed_headers(subject: Subject, reached: float) -> bool:
    """Whether the headers of an ISO file state no more than the packets reach; FFmpeg tells only what the tables list.

    Fragments that are announced and missing are a cut. A movie without fragments lists all of its samples, and they
    are there: then the header is wrong, not the file.
    """
    movie, fragments = subject.stated
    if fragments is not None and reached < fragments - _slack(fragments) and fragments <= subject.limits.seconds:
        raise truncated(f"the fragments end at {reached:.2f} s of the stated {fragments:.2f} s")
    if movie is not None and fragments is None and reached < movie - _slack(movie):
        subject.note("stated_duration_differs")
        return False
    return True


def _least(media: Media, stated: float) -> float:
    """The earliest end of the packets that keeps the header's word, in seconds.

    A last packet without a duration lasts up to the stated end, so one such step is allowed.
    """
    if max(track.packets for track in media.tracks) == 1:
        return 0.0
    return stated - _slack(stated) - max(float(track.gap) for track in media.tracks)


def _slack(stated: float) -> float:
    return max(SLACK_SECONDS, stated * SLACK_SHARE)


def _span(track: Track) -> float:
    return float(track.end - (track.start or Fraction(0)))


def _stated(subject: Subject, media: Media) -> float | None:
    """Seconds that the header states; None if it states none, or more than can be true."""
    micros = media.container.duration
    if not micros or micros < 0 or not _is_stated(subject):
        return None
    seconds = micros / MICROSECONDS
    if seconds > subject.limits.seconds:
        subject.note("absurd_duration")
        return None
    return seconds


def _is_stated(subject: Subject) -> bool:
    """Whether FFmpeg read the duration; for ADTS and plain MP3 it guesses from the bit rate."""
    if subject.format.name == "mp3":
        return states_length(subject)
    return subject.format.name != "adts"


def _frame_rate(subject: Subject, track: Track) -> None:
    seconds = _span(track)
    if not track.is_video or track.packets < 2 or seconds <= 0:
        return
    subject.found["frame_rate"] = round(track.packets / seconds, 3)
    if track.steps[1] > VARIABLE * track.steps[0]:
        subject.note("variable_frame_rate")
