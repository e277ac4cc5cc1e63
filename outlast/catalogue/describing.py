"""What a provider's entry says, in a few words each."""

from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from shared.providers import Provider
from shared.providers.reading import Reading

UNKNOWN = "unknown"
EVENTS_ALONE = "events alone"
"""How jobs are reported where neither a poll nor a webhook does it."""
ENDPOINT = "content endpoint"
"""Where bytes are that have no link."""
NO_SERVER = ".invalid"
"""Domain of the addresses of an entry that is there to be extended (RFC 2606, 2: it never resolves)."""
UNITS = (("days", 86400, 172_800), ("h", 3600, 3600), ("min", 60, 60), ("s", 1, 1))
"""Name, seconds, and from how many seconds on a unit is used for what it divides."""
MEANINGS = ("running", "done", "failed", "filtered", "gone", "limited", "refused")
"""What words of a record can mean, by the keys of an entry."""


def lasting(seconds: float | None) -> str:
    """A length of time in the largest unit that divides it: `10 min`, `24 h`, `30 days`."""
    if seconds is None:
        return UNKNOWN
    for name, unit, least in UNITS:
        if seconds >= least and seconds % unit == 0:
            return f"{seconds / unit:g} {name}"
    return f"{seconds:g} s"


def titled(entry: Provider) -> str:
    """The name of a provider for people."""
    return entry.title or entry.name


def reported(entry: Provider) -> tuple[str, ...]:
    """The ways in which the end of a job becomes known without its producer: `poll`, `webhook (standard)`."""
    polled = [] if entry.poll is None else ["poll" if entry.poll.url else "poll (record_url)"]
    pushed = [] if entry.webhook is None else [f"webhook ({entry.webhook.scheme})"]
    return (*polled, *pushed)


def fresh_links(entry: Provider) -> str:
    """Whether another link can be had: `yes`, `with record_url`, or `no`."""
    if entry.refresh is None:
        return "no"
    return "yes" if entry.refresh.url else "with record_url"


def bytes_from(entry: Provider) -> str:
    """Where the bytes of an output are: `link`, `link or content endpoint`, `content endpoint`."""
    if entry.content is None:
        return "link"
    return f"link or {ENDPOINT}" if any(reading.has_links for reading in readings(entry).values()) else ENDPOINT


def readings(entry: Provider) -> dict[str, Reading]:
    """What reads records, by the name of its table."""
    tables = {"poll": entry.poll, "refresh": entry.refresh, "webhook": entry.webhook}
    return {name: table for name, table in tables.items() if table is not None}


def is_to_be_extended(entry: Provider) -> bool:
    """Whether an entry names no server, so that a file of one's own must."""
    questions = (entry.poll, entry.refresh, entry.content)
    hosts = [urlsplit(question.url).hostname or "" for question in questions if question and question.url]
    return any(host.endswith(NO_SERVER) for host in hosts)


def listed(texts: Iterable[str]) -> str:
    """Several texts as a person would list them: `a, b and c`."""
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def words(reading: Reading) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The meanings that have words in a record, each with them."""
    for meaning in MEANINGS:
        if told := getattr(reading, meaning):
            yield meaning, told
