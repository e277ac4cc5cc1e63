"""Roles and schema: what an administrator does once per server, and what the owner does per release."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import cast

import psycopg
from alembic import command, op
from alembic.config import Config
from psycopg import sql
from sqlalchemy import create_engine, make_url

from shared.errors import UsageError

OWNER = "outlast_owner"
ROLES = (
    OWNER,
    "outlast_ingest",
    "outlast_downloader",
    "outlast_verifier",
    "outlast_promoter",
    "outlast_sweeper",
    "outlast_operator",
    "outlast_reader",
    "outlast_processor",
)
BOOTSTRAP_LOCK = 0x6F75746C617374


def bootstrap_database(admin_url: str, database: str, passwords: Mapping[str, str] | None = None) -> None:
    """Make the roles and the database where they are missing, and set the passwords that are given.

    `admin_url` belongs to an administrator and names the maintenance database. Safe to run twice and
    from several places at once. Raises UsageError when the server refuses.
    """
    passwords = passwords or {}
    try:
        with psycopg.connect(admin_url, autocommit=True, connect_timeout=10) as connection:
            # CREATE ROLE in parallel fails with "tuple concurrently updated".
            connection.execute("SELECT pg_advisory_lock(%s)", (BOOTSTRAP_LOCK,))
            for role in ROLES:
                _ensure_role(connection, role, passwords.get(role))
            _ensure_database(connection, database)
    except psycopg.Error as error:
        raise UsageError(f"Postgres refused the bootstrap: {_message(error)}") from None


def _ensure_role(connection: psycopg.Connection, role: str, password: str | None) -> None:
    name = sql.Identifier(role)
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
    if role != OWNER:
        # A worker that is frozen inside a transaction must not keep its rows from the others.
        connection.execute(sql.SQL("ALTER ROLE {} SET idle_in_transaction_session_timeout = '10s'").format(name))
        connection.execute(sql.SQL("ALTER ROLE {} SET timezone = 'UTC'").format(name))
    if password is not None:
        connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(password)))


def _ensure_database(connection: psycopg.Connection, database: str) -> None:
    if connection.execute("SELECT FROM pg_database WHERE datname = %s", (database,)).fetchone() is not None:
        return
    statement = sql.SQL("CREATE DATABASE {} OWNER {}")
    connection.execute(statement.format(sql.Identifier(database), sql.Identifier(OWNER)))


def migrate_database(owner_url: str, password: str = "") -> None:
    """Bring the schema to this release, as the owner's role. Raises UsageError when the server refuses."""
    url = make_url(owner_url).set(drivername="postgresql+psycopg")
    engine = create_engine(url.set(password=password) if password else url)
    try:
        with engine.connect() as connection:
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            connection.commit()
    except Exception as error:
        if isinstance(error.__cause__, psycopg.Error):
            raise UsageError(f"Postgres refused the migration: {_message(error.__cause__)}") from None
        raise
    finally:
        engine.dispose()


def run_sql_file(name: str) -> None:
    """Run a file of `shared/sql/migrations` inside the migration under way."""
    driver = op.get_bind().connection.driver_connection
    # SQLAlchemy always passes parameters, and then a percent sign in the file would be one.
    cast(psycopg.Connection, driver).execute((files("shared.sql") / "migrations" / name).read_bytes())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "alembic"))
    config.set_main_option("path_separator", "os")
    return config


def _message(error: psycopg.Error) -> str:
    return (error.diag.message_primary or str(error).splitlines()[0] if str(error) else type(error).__name__).strip()
