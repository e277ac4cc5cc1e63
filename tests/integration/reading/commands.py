"""The `outlast` command as a reader runs it."""

import json
import os
import subprocess
from typing import Any

from tests.conftest import OUTLAST, TestDatabase

Done = subprocess.CompletedProcess[str]


class Reader:
    """Runs the command as the role `outlast_reader` on a terminal of 80 columns, as far as the command knows."""

    def __init__(self, database: TestDatabase) -> None:
        told = {"OUTLAST_DATABASE_URL": database.url("outlast_reader"), "COLUMNS": "80"}
        others = {name: value for name, value in os.environ.items() if not name.startswith("OUTLAST_")}
        self._environment = {**others, **told}

    def run(self, *words: str, code: int = 0) -> Done:
        done = subprocess.run(
            [OUTLAST, *words], env=self._environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stderr
        return done

    def text(self, *words: str, code: int = 0) -> str:
        return self.run(*words, code=code).stdout

    def lines(self, *words: str, code: int = 0) -> list[dict[str, Any]]:
        """Every line of the JSON that it printed."""
        return [json.loads(line) for line in self.text(*words, "--json", code=code).splitlines()]
