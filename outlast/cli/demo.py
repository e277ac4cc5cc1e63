"""`outlast demo`: the whole way from an event to a proven asset, on real parts, on this machine."""

from pathlib import Path
from typing import Annotated

import typer

from deploy.local.folders import DEMO

Files = Annotated[
    Path | None,
    typer.Option(
        "--files",
        help="Send the files of this folder; hidden ones and links out of it are left out.",
        exists=True,
        file_okay=False,
        resolve_path=True,
    ),
]
Keep = Annotated[bool, typer.Option("--keep", help="Leave the stack running at the end.")]
Processor = Annotated[
    bool, typer.Option("--processor", help="Also run the example processor, which makes a poster of each video.")
]
Folder = Annotated[Path, typer.Option("--dir", help="Folder of the demo's servers, logs and objects.")]


def demo(files: Files = None, keep: Keep = False, processor: Processor = False, directory: Folder = DEMO) -> None:
    """Capture media from links that die within seconds, and prove that every asset outlived its link.

    \b
    outlast demo
    outlast demo --files ~/media --keep

    Starts private servers and the four services under --dir. Ends with 0 only
    if all was as it must be.
    """
    from deploy.local.demo.run import run  # heavy: loads the media libraries

    raise typer.Exit(run(directory.resolve(), files=files, keep=keep, with_processor=processor))
