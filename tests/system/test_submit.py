"""`outlast submit`: a file that is already here is captured as an output is, and proven by its version or its ETag."""

import json
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.conftest import OUTLAST
from tests.system.conftest import System
from tests.system.source import picture


def submitted(system: System, bucket: str, *words: str) -> list[dict[str, Any]]:
    environment = {
        **system.environment,
        "OUTLAST_INPUT_BUCKET": bucket,
        "OUTLAST_DATABASE_URL": system.database.url("outlast_reader"),
    }
    command = [OUTLAST, "submit", "--account", "studio", "--wait", "--json", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_files_become_assets_with_their_own_bytes_and_once_however_often_they_come(
    system: System, tmp_path: Path
) -> None:
    bucket = f"{uuid4().hex[:12]}-input"
    system.s3.make_bucket(bucket)
    system.start_all(OUTLAST_INPUT_BUCKET=bucket)
    files = [tmp_path / f"shot-{number}.png" for number in range(3)]
    for file in files:
        file.write_bytes(picture(file.name))
    for _ in range(2):
        told = submitted(system, bucket, "--kind", "image", *map(str, files))
        outcomes = told[len(files) :]
        assert [outcome["state"] for outcome in outcomes] == ["complete"] * 3
        assert [system.read(outcome["durable_uri"]) for outcome in outcomes] == [file.read_bytes() for file in files]
        assert [outcome["operation_id"] for outcome in outcomes] == ["shot-0", "shot-1", "shot-2"]
    assert system.count() == len(system.asset_names()) == len(system.objects(bucket)) == 3
