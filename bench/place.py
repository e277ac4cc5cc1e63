"""The folder of a measurement: held by one at a time, begun empty, and kept only when something went wrong."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.local.process import Process, stop_all
from shared.errors import UsageError

RESULTS = Path(".local/bench")
"""Where the results are written, and the servers of the measurement live meanwhile."""


@contextmanager
def fresh_folder(place: Path = RESULTS) -> Iterator[Path]:
    """An empty folder for servers in `place`. Raises UsageError while another one of this checkout runs there."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"A benchmark is running here, in {place}. Wait for its end.") from None
        folder = place.absolute() / "servers"
        _empty(folder)
        yield folder
        # Not after an error: the logs tell what happened.
        _empty(folder)


def _empty(folder: Path) -> None:
    """Delete the folder, after the end of what a killed measurement may have left."""
    stop_all(Process(record.stem, folder) for record in sorted((folder / "run").glob("*.json")))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
