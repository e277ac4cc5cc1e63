"""Plain HTTP to a server of this stack, on the loopback address only."""

import base64
import http.client
import json
from collections.abc import Mapping

from deploy.local.ports import HOST


def call(
    port: int,
    method: str,
    path: str,
    *,
    user: tuple[str, str] | None = None,
    body: Mapping[str, object] | None = None,
) -> tuple[int, str]:
    """Ask a local server and return the status and the body; 0 and the reason when it does not answer."""
    headers = {} if body is None else {"Content-Type": "application/json"}
    if user is not None:
        headers["Authorization"] = "Basic " + base64.b64encode(":".join(user).encode()).decode()
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read(64 * 1024).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException) as error:
        return 0, f"no answer: {type(error).__name__}"
    finally:
        connection.close()
