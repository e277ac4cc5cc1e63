"""The provider entry by which Outlast knows the demo provider, and the key it may use there."""

import json
from pathlib import Path

from deploy.local.credentials import write_private
from deploy.local.demo.scenario import PROVIDER, PROVIDER_ACCOUNT

ENTRY = """\
# The provider of the demonstration: on loopback, for as long as the demonstration runs.
name = "{name}"
hosts = ["127.0.0.1"]

[credential]
header = "Authorization"
prefix = "Bearer "
file = {keys}

[refresh]
method = "GET"
url = "{origin}/v1/jobs/{{job_id}}"
status = "status"
done = ["succeeded"]
failed = ["failed"]
outputs = "outputs"
output_id = "id"
output_url = "url"
output_expires_at = "expires_at"
"""


def write_entry(folder: Path, origin: str, api_key: str) -> Path:
    """Write entry and key under `folder` and return the folder for OUTLAST_PROVIDERS_DIR."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(folder / f"{PROVIDER_ACCOUNT}.key", api_key)
    keys = json.dumps(str(folder / "{provider_account}.key"))  # a JSON string is a TOML string
    (folder / f"{PROVIDER}.toml").write_text(ENTRY.format(name=PROVIDER, origin=origin, keys=keys), encoding="utf-8")
    return folder
