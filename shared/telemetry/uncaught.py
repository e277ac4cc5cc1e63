"""Exceptions that nobody caught, which Python would print with their full text to stderr."""

import sys
import threading
from types import TracebackType

import structlog

log = structlog.get_logger(__name__)


def log_all() -> None:
    """From now on uncaught exceptions of the main program, of threads and of finalizers are log lines."""
    sys.excepthook = _of_program
    threading.excepthook = _of_thread
    sys.unraisablehook = _of_finalizer


def _of_program(_kind: type[BaseException], error: BaseException, _stack: TracebackType | None) -> None:
    log.critical("uncaught", exc_info=error)


def _of_thread(found: threading.ExceptHookArgs) -> None:
    if found.exc_type is not SystemExit:
        log.critical("uncaught_in_thread", thread=found.thread and found.thread.name, exc_info=found.exc_value)


def _of_finalizer(found: "sys.UnraisableHookArgs") -> None:
    log.error("uncaught_in_finalizer", where=found.object, exc_info=found.exc_value)
