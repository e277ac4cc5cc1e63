"""`make corpus`: sends every file of a folder through a whole Outlast, and compares the verdicts with its manifest."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from bench.corpus.judging import Found
from bench.corpus.manifest import Entry, read_manifest
from bench.corpus.pipeline import Pipeline, offer, pipeline
from bench.corpus.printing import as_json, print_verdicts
from bench.place import fresh_folder
from deploy.local.demo.media import image
from shared.errors import UsageError
from shared.messages import Kind
from shared.states import State

PLACE, OUTCOME = Path(".local/corpus"), Path(".local/corpus.json")
PLAIN_WIDTH = 170

Corpus = Annotated[Path, typer.Argument(metavar="CORPUS", help="Folder of the files, with a MANIFEST.toml.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object in place of the table.")]


def main(corpus: Corpus, to_json: AsJson = False) -> None:
    """Publish, download and verify every file of a folder, and compare its verdict with the wanted one.

    \b
    make corpus CORPUS=../media
    .venv/bin/python -m bench.corpus ../media --json

    Ends with 1 if any verdict differs, a bounded file took more than 10 s or
    512 MiB, or the verifier did not live through it. Also writes .local/corpus.json.
    """
    console = Console(stderr=to_json, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    try:
        entries = read_manifest(corpus)
        with fresh_folder(PLACE) as folder, Progress(console=console, transient=True) as progress:
            progress.add_task("starting RabbitMQ, Postgres, a store and the services", total=None)
            with pipeline(folder) as running:
                found, lives = _run(running, corpus, entries, progress)
    except UsageError as error:
        console.print(f"[red]{error}[/]", highlight=False)
        sys.exit(2)
    pairs = list(zip(entries, found, strict=True))
    outcome = as_json(pairs, lives=lives)
    OUTCOME.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    if to_json:
        typer.echo(json.dumps(outcome))
    else:
        print_verdicts(console, pairs)
        _print_end(console, right=outcome["right"], wrong=outcome["wrong"], lives=lives)
    sys.exit(0 if lives and not outcome["wrong"] else 1)


def _run(running: Pipeline, folder: Path, entries: list[Entry], progress: Progress) -> tuple[list[Found], bool]:
    """What became of each, and whether the same verifier with the same probe accepts a good file after them all."""
    before = running.processes()
    files = [(offer(number, entry.name, folder / entry.name), entry.kind) for number, entry in enumerate(entries)]
    found = running.capture(files, progress)
    (good,) = running.capture([(offer(len(files), "good.png", image()), Kind.IMAGE)], progress)
    return found, good.state == State.COMPLETE and running.processes() == before


def _print_end(console: Console, *, right: int, wrong: int, lives: bool) -> None:
    console.print(f"[green]right: {right}[/]" if not wrong else f"right: {right}, [bold red]wrong: {wrong}[/]")
    console.print(
        "[green]The same verifier and the same probe accept a good file after all of them.[/]"
        if lives
        else "[bold red]The verifier or its probe did not live through all of them, or refuses a good file now.[/]"
    )
    console.print(f"Written to {OUTCOME}.")


if __name__ == "__main__":
    typer.run(main)
