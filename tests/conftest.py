"""The real servers of the tests, and a database, a virtual host and buckets of its own for each test."""

import base64
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from psycopg import sql

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".local" / "test"
# Times are noisy where several suites share two cores; a run for a landing is the same run each time.
settings.register_profile("outlast", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("landing", settings.get_profile("outlast"), derandomize=True)
settings.load_profile("landing" if os.environ.get("CI") else "outlast")
ROLE_PASSWORD = "role-of-a-test"
OUTLAST = str(Path(sys.executable).parent / "outlast")


@dataclass(frozen=True)
class TestDatabase:
    """One test's own database; `url(role)` logs in as that role, without a role as the superuser."""

    __test__ = False

    name: str
    host: str
    port: int
    password: str

    def url(self, role: str = "postgres") -> str:
        password = self.password if role == "postgres" else ROLE_PASSWORD
        return f"postgresql://{role}:{password}@{self.host}:{self.port}/{self.name}"


@pytest.fixture(scope="session")
def servers() -> dict[str, Any]:
    """Addresses and administrators of RabbitMQ, Postgres and S3, which are started where they do not run."""
    told = os.environ.get("OUTLAST_TEST_STACK")
    description = Path(told) if told else FOLDER / "stack.json"
    if not told:
        FOLDER.mkdir(parents=True, exist_ok=True)
        with FileLock(FOLDER / "starting.lock"):
            command = [OUTLAST, "up", "--servers-only", "--detach", "--fast", "--dir", str(FOLDER)]
            subprocess.run(command, check=True, capture_output=True, timeout=150)
    found: dict[str, Any] = json.loads(description.read_text())
    return found


@pytest.fixture(scope="session")
def template(servers: dict[str, Any]) -> str:
    """A migrated database that each test copies; made anew when the schema's files change."""
    files = sorted((ROOT / "shared/sql/migrations").glob("*.sql"))
    name = "template_" + sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    admin = servers["postgres"]["url"]
    with FileLock(FOLDER.parent / "template.lock"), psycopg.connect(admin, autocommit=True) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s AND datistemplate", (name,)).fetchone():
            return name
        command = [OUTLAST, "migrate", "--bootstrap", "--admin-database-url", admin, "--database", name]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        for (role,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'outlast\\_%'").fetchall():
            connection.execute(
                sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(ROLE_PASSWORD))
            )
        server = servers["postgres"]
        owner = f"postgresql://outlast_owner:{ROLE_PASSWORD}@{server['host']}:{server['port']}/{name}"
        environment = {**os.environ, "OUTLAST_DATABASE_URL": owner}
        subprocess.run([OUTLAST, "migrate"], check=True, capture_output=True, timeout=60, env=environment)
        connection.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE true").format(sql.Identifier(name)))
    return name


@pytest.fixture
def database(servers: dict[str, Any], template: str) -> Iterator[TestDatabase]:
    """A fresh database with the schema of this release."""
    server = servers["postgres"]
    name = f"test_{uuid4().hex}"
    with psycopg.connect(server["url"], autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} OWNER outlast_owner").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
    yield TestDatabase(name, server["host"], server["port"], server["password"])
    with psycopg.connect(server["url"], autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def management(servers: dict[str, Any]) -> Callable[[str, str, object], Any]:
    """Calls RabbitMQ's management HTTP API: `management("PUT", "vhosts/x", {})`."""
    server = servers["rabbitmq"]
    credential = base64.b64encode(f"{server['user']}:{server['password']}".encode()).decode()

    def call(method: str, path: str, body: object = None) -> Any:
        request = urllib.request.Request(
            f"{server['management_url'].rstrip('/')}/api/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Basic {credential}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    return call


@pytest.fixture
def amqp_url(servers: dict[str, Any], management: Callable[..., Any]) -> Iterator[str]:
    """The URL of a fresh virtual host, as an administrator."""
    server = servers["rabbitmq"]
    name = f"test-{uuid4().hex}"
    management("PUT", f"vhosts/{name}", {})
    management("PUT", f"permissions/{name}/{server['user']}", {"configure": ".*", "write": ".*", "read": ".*"})
    yield f"amqp://{server['user']}:{server['password']}@{server['host']}:{server['port']}/{name}"
    management("DELETE", f"vhosts/{name}")
