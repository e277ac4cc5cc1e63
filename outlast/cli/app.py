"""The `outlast` command: its subcommands and how a wrong input ends."""

import logging
import sys
from collections.abc import Callable

import structlog
import typer

from outlast.cli.demo import demo
from outlast.cli.doctor import doctor
from outlast.cli.listing import list_tasks
from outlast.cli.migrate import migrate
from outlast.cli.providers import providers
from outlast.cli.publish import publish
from outlast.cli.rejected import rejected
from outlast.cli.release import release
from outlast.cli.retry import retry
from outlast.cli.reverify import reverify
from outlast.cli.show import show
from outlast.cli.status import status
from outlast.cli.submit import submit
from outlast.cli.sweep import sweep
from outlast.cli.up import down, up
from outlast.publish import PublishError
from shared.errors import Failure, UsageError

app = typer.Typer(
    help="Outlast captures what AI providers generate from temporary links, and proves it before it says complete.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "publish": publish,
    "submit": submit,
    "list": list_tasks,
    "show": show,
    "status": status,
    "retry": retry,
    "release": release,
    "reverify": reverify,
    "doctor": doctor,
    "sweep": sweep,
    "migrate": migrate,
    "up": up,
    "down": down,
    "demo": demo,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
app.add_typer(providers, name="providers")
app.add_typer(rejected, name="rejected")


def main() -> None:
    """Run the command; an error of the person or the surroundings is one clear text and exit code 2."""
    # Standard output is for results only, and trouble that ends a command is told once, by its error.
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    # A database that is away is one sentence of ours; the pool would tell of each attempt.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    try:
        app()
    except (UsageError, PublishError) as error:
        typer.echo(f"outlast: {error}", err=True)
        sys.exit(2)
    except Failure as failure:
        typer.echo(f"outlast: {failure.reason.rule.sentence} ({failure.reason})", err=True)
        sys.exit(2)
