"""The client of the probe: asks about a file and checks the answer, as the probe reads hostile bytes."""

import json
import socket
from pathlib import Path

from pydantic import ValidationError

from services.verifier.facts import MAX_ANSWER_BYTES, Verdict
from shared.messages import Kind

PATIENCE_SECONDS = 1800.0
"""Longest wait for an answer; the probe keeps its own, shorter limits, so this is only for one that hangs."""


class ProbeAway(Exception):  # noqa: N818 (a state of ours, told apart from any verdict)
    """The probe does not answer, or answers nonsense: our own fault, it says nothing about a file."""


class Prober:
    """Asks the probe that listens on `socket_path`; safe to use from several threads."""

    def __init__(self, socket_path: Path, *, patience: float = PATIENCE_SECONDS) -> None:
        self._path, self._patience = str(socket_path), patience

    def examine(self, file_name: str, kind: Kind | None) -> Verdict:
        """The verdict about a file of the probe's folder, given by its name.

        `kind` is the promised kind; None takes whatever the file proves to be.
        Raises ProbeAway if there is no verdict.
        """
        request = json.dumps({"file": file_name, "kind": kind}).encode() + b"\n"
        try:
            return Verdict.model_validate_json(self._ask(request))
        except OSError as error:
            raise ProbeAway(f"the probe does not answer ({type(error).__name__})") from error
        except ValidationError:
            raise ProbeAway("the probe gave no valid verdict") from None

    def check(self) -> None:
        """Raise ProbeAway if nobody listens."""
        try:
            self._connect().close()
        except OSError as error:
            raise ProbeAway(f"the probe does not listen ({type(error).__name__})") from error

    def _connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(self._patience)
        try:
            connection.connect(self._path)
        except OSError:
            connection.close()
            raise
        return connection

    def _ask(self, request: bytes) -> bytes:
        with self._connect() as connection, connection.makefile("rb") as answers:
            connection.sendall(request)
            return answers.readline(MAX_ANSWER_BYTES)
