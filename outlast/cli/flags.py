"""One output as the options of `outlast publish` describe it."""

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from outlast.cli.events import SOURCE
from outlast.cli.link import link_of
from outlast.cli.spans import TIME, instant_of
from outlast.publish import output_ready
from shared.errors import UsageError
from shared.messages import Kind, OutputReadyEvent

PANEL = "One output by options"

Url = Annotated[
    str | None,
    typer.Option(
        help="The link; `-` reads it from standard input, as on the command line other users can see it. "
        "Leave it out where the provider's entry can give one.",
        rich_help_panel=PANEL,
    ),
]
ProviderName = Annotated[str | None, typer.Option(help="The service that generated it.", rich_help_panel=PANEL)]
Job = Annotated[str | None, typer.Option(help="The provider's id of the job.", rich_help_panel=PANEL)]
Output = Annotated[
    str | None,
    typer.Option(help="The provider's id of the output, else its index from 0; default: 0.", rich_help_panel=PANEL),
]
ProviderAccount = Annotated[
    str | None, typer.Option(help="Whose key talks to the provider; default: default.", rich_help_panel=PANEL)
]
Operation = Annotated[
    str | None, typer.Option(help="Your stable name of the operation; default: the job.", rich_help_panel=PANEL)
]
EventId = Annotated[
    str | None, typer.Option("--id", help="Id of this event; the same id is the same event.", rich_help_panel=PANEL)
]
ReadyAt = Annotated[
    str | None, typer.Option(help=f"When the provider finished: {TIME}; default: now.", rich_help_panel=PANEL)
]
ExpiresAt = Annotated[
    str | None,
    typer.Option(help=f"When the link ends, if it does not say so itself: {TIME}.", rich_help_panel=PANEL),
]
DisplayName = Annotated[str | None, typer.Option(help="A file name for people.", rich_help_panel=PANEL)]
PromisedKind = Annotated[
    Kind | None,
    typer.Option(
        "--kind",
        help="Default: whatever the bytes prove to be; text and other are only taken when they are named.",
        rich_help_panel=PANEL,
    ),
]
Size = Annotated[int | None, typer.Option(help="Bytes.", min=0, rich_help_panel=PANEL)]
Digest = Annotated[str | None, typer.Option("--sha256", help="SHA-256 in hexadecimal.", rich_help_panel=PANEL)]


@dataclass(frozen=True)
class Flags:
    """The values of these options; None for an option that was not given."""

    provider: str | None
    job: str | None
    url: str | None
    output: str | None
    provider_account: str | None
    kind: Kind | None
    operation: str | None
    expires_at: str | None
    ready_at: str | None
    display_name: str | None
    size: int | None
    sha256: str | None
    id: str | None

    def event(self) -> OutputReadyEvent:
        """The event that they describe. Raises UsageError for what is missing or wrong, and never shows the link."""
        if self.provider is None or self.job is None:
            missing = " and ".join(f"--{name}" for name in ("provider", "job") if getattr(self, name) is None)
            raise UsageError(f"Give {missing}, or a whole event with --file or --lines.")
        return output_ready(
            event_id=self.id,
            source=SOURCE,
            provider=self.provider,
            provider_account="default" if self.provider_account is None else self.provider_account,
            job_id=self.job,
            output_id="0" if self.output is None else self.output,
            url=link_of(self.url),
            url_expires_at=instant_of("--expires-at", self.expires_at),
            ready_at=instant_of("--ready-at", self.ready_at),
            kind=self.kind,
            operation_id=self.operation,
            display_name=self.display_name,
            expected={"size": self.size, "sha256": self.sha256.lower() if self.sha256 else None},
        )

    def must_be_absent(self, beside: str) -> None:
        """Raises UsageError if one of them was given beside an option that brings whole events."""
        given = [f.name.replace("_", "-") for f in fields(self) if getattr(self, f.name) is not None]
        if given:
            raise UsageError(f"{beside} brings whole events: leave out --{', --'.join(given)}.")
