"""What a person reads of a stack that starts, runs and stops."""

import json
from collections.abc import Iterable, Mapping

from rich.console import Console

from deploy.local.parts import Part
from deploy.local.process import Ending
from deploy.local.stack import Stack


def print_dead(console: Console, names: Iterable[str]) -> None:
    """A line for each part that ended and is started again."""
    for name in names:
        console.print(f"[red]✗[/] {name:<11} had ended by itself; it is started again")


def print_ready(console: Console, part: Part, seconds: float) -> None:
    """A part that is ready, after so many seconds."""
    console.print(f"[green]✓[/] {part.process.name:<11} {seconds:5.1f} s  {part.address()}", soft_wrap=True)


def print_addresses(console: Console, stack: Stack, *, as_json: bool) -> None:
    """Where the parts are reached; as JSON on standard output, wherever `console` writes."""
    addresses = stack.addresses()
    if as_json:
        print(json.dumps({**addresses, "environment": str(stack.environment_file)}), flush=True)  # noqa: T201
        return
    console.print()
    for name, address in addresses.items():
        console.print(f"{name:<11} {address}", soft_wrap=True)
    console.print(f"{'variables':<11} {stack.environment_file}", soft_wrap=True)


def print_endings(console: Console, endings: Mapping[str, Ending]) -> None:
    """How each part ended."""
    for name, ending in endings.items():
        color = "green" if ending is Ending.STOPPED else "red"
        console.print(f"[{color}]■[/] {name:<11} {ending}", soft_wrap=True)
