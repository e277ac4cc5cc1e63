"""The doctor on a whole Outlast: what it tells of a good one, and the trial of its intake."""

import json
import subprocess
from uuid import uuid4

from tests.conftest import OUTLAST
from tests.system.conftest import System


def test_three_files_told_twice_become_three_assets_and_objects_that_are_no_input_become_no_task(
    system: System,
) -> None:
    made = {name: f"{uuid4().hex[:12]}-{name}" for name in ("input", "output")}
    variables = {f"OUTLAST_{name.upper()}_BUCKET": bucket for name, bucket in made.items()}
    for bucket in made.values():
        system.s3.make_bucket(bucket)
    system.start_all(**variables)
    told = {**system.environment, **variables, "OUTLAST_DATABASE_URL": system.database.url("outlast_reader")}
    command = [OUTLAST, "doctor", "--only", "broker", "--only", "keyring", "--trigger", "--json"]
    done = subprocess.run(command, env=told, capture_output=True, text=True, timeout=150, check=False)
    levels = {line["check"]: line["level"] for line in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0, done.stdout + done.stderr
    assert levels["one-task-each"] == levels["no-stray-task"] == levels["exchanges-and-queues"] == "ok"
    assert system.count() == len(system.asset_names()) == len(system.objects(made["input"])) == 3
    assert [row[0] for row in system.rows("SELECT reason FROM rejected_events")] == ["not_input"] * 2
    assert system.objects(made["output"]) == []
