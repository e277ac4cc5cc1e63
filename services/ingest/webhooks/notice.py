"""What a webhook says of a job."""

from dataclasses import dataclass, field

from services.ingest.reported import FINAL, Job
from shared.providers import Provider
from shared.providers.report import Report, Said


@dataclass(frozen=True)
class Notice:
    """A webhook about a job, proven and read."""

    job: Job
    report: Report = field(repr=False)
    entry: Provider = field(repr=False)
    is_word: bool
    """Whether this is the provider's own word for what became of the job, and not only a reason to ask."""
    traceparent: str | None = field(default=None, repr=False)

    @property
    def is_final(self) -> bool:
        """Whether it says what became of the job."""
        return self.is_word and self.report.said in FINAL

    @property
    def is_unknown(self) -> bool:
        """Whether it has a word that the entry does not know, of which nothing follows."""
        return self.is_word and self.report.said is Said.UNKNOWN

    @property
    def is_news(self) -> bool:
        """Whether there is anything to do about it."""
        return self.report.said is not Said.RUNNING and not self.is_unknown
