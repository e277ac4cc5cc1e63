"""`python -m services.verifier.probe`: examines the files of one folder for whoever may open its socket."""

import argparse
import asyncio
import gc
import os
import signal
import sys
from pathlib import Path

import av.logging
import structlog

from services.verifier.policy import UNDECODED
from services.verifier.probe.calls import load_library
from services.verifier.probe.confine import leave_network
from services.verifier.probe.pool import Pool
from services.verifier.probe.preload import preload
from services.verifier.probe.server import serve
from services.verifier.probe.versions import libraries, refuse_old, verifier_version
from services.verifier.probe.worker import NoChild
from shared.errors import UsageError
from shared.telemetry import logs

log = structlog.get_logger(__name__)


def main() -> int:
    """Serve until SIGTERM or SIGINT; exit code 2 if the libraries are too old or children cannot be confined."""
    options = _options()
    logs.configure("probe", "info", options.log_format)
    try:
        refuse_old(libraries())
        load_library()
    except UsageError as error:
        log.error("probe_refused", error=str(error))
        return 2
    os.environ.clear()
    # FFmpeg would write messages that quote the file.
    av.logging.set_level(None)
    preload()
    limits = {"memory_bytes": options.memory, "seconds": options.seconds, "children": options.children}
    log.info("probe_starts", **limits, own_network=leave_network(), verifier_version=verifier_version())
    gc.freeze()
    try:
        asyncio.run(_run(options))
    except NoChild as error:
        log.error("probe_refused", error=f"A child cannot be confined: {error}.")
        return 2
    return 0


async def _run(options: argparse.Namespace) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    if options.stop_on_eof:
        loop.add_reader(sys.stdin.fileno(), stop.set)
    pool = Pool(options.memory, options.seconds, verifier_version(), options.accept_undecoded)
    try:
        await pool.start(options.children)
        await serve(options.socket, options.dir, pool, stop)
    finally:
        pool.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.verifier.probe", description=__doc__)
    parser.add_argument("--socket", type=Path, required=True, help="Unix socket to listen on")
    parser.add_argument("--dir", type=Path, required=True, help="folder of the files to examine")
    parser.add_argument("--memory", type=int, default=2**30, help="bytes that one examination may take")
    parser.add_argument("--seconds", type=float, default=60.0, help="time that one examination may take")
    parser.add_argument("--children", type=int, default=2, help="files examined at once")
    parser.add_argument("--accept-undecoded", nargs="*", choices=UNDECODED, default=(), help="images without a decoder")
    parser.add_argument("--log-format", choices=("json", "text"), default="json", help="form of a log line")
    parser.add_argument("--stop-on-eof", action="store_true", help="end when standard input is closed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
