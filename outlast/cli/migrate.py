"""`outlast migrate`: brings database and broker to this release."""

from pathlib import Path
from typing import Annotated

import typer

from shared.errors import UsageError
from shared.settings import secret_from

OwnerUrl = Annotated[
    str | None,
    typer.Option(envvar="OUTLAST_DATABASE_URL", help="libpq URL of the database, as the role outlast_owner."),
]
OwnerPassword = Annotated[
    Path | None, typer.Option(envvar="OUTLAST_DATABASE_PASSWORD_FILE", help="File with that role's password.")
]
AmqpUrl = Annotated[
    str | None,
    typer.Option(envvar="OUTLAST_AMQP_URL", help="AMQP URL of the virtual host, as a user who may configure it."),
]
Bootstrap = Annotated[
    bool, typer.Option("--bootstrap", help="First make the roles and the database, as an administrator.")
]
AdminUrl = Annotated[
    str | None,
    typer.Option(
        envvar="OUTLAST_ADMIN_DATABASE_URL",
        help="With --bootstrap: libpq URL of an administrator's `postgres` database.",
    ),
]
Database = Annotated[str, typer.Option(help="With --bootstrap: name of the database to make.")]


def migrate(
    database_url: OwnerUrl = None,
    database_password_file: OwnerPassword = None,
    amqp_url: AmqpUrl = None,
    bootstrap: Bootstrap = False,
    admin_database_url: AdminUrl = None,
    database: Database = "outlast",
) -> None:
    """Bring the database schema and the broker's exchanges and queues to this release.

    \b
    outlast migrate --bootstrap --admin-database-url postgresql://postgres@db/postgres
    outlast migrate --database-url postgresql://outlast_owner@db/outlast \\
                    --amqp-url amqp://admin@rabbitmq/outlast

    Safe to run twice. Run it with --bootstrap once per Postgres server, then as
    the owner with each release. Passwords come from the URL, from
    OUTLAST_DATABASE_PASSWORD_FILE, or from libpq's own PGPASSFILE. Roles get no
    password here; set them with ALTER ROLE, or let your platform do it.
    """
    from shared.broker.declare import declare
    from shared.db.migrations import bootstrap_database, migrate_database

    if bootstrap:
        if not admin_database_url:
            raise UsageError("--bootstrap needs --admin-database-url (or OUTLAST_ADMIN_DATABASE_URL).")
        bootstrap_database(admin_database_url, database)
        typer.echo(f"Roles and database {database}: there.")
    if database_url:
        migrate_database(database_url, secret_from(database_password_file))
        typer.echo("Schema: up to date.")
    if amqp_url:
        declare(amqp_url)
        typer.echo("Exchanges and queues: declared.")
    if not (bootstrap or database_url or amqp_url):
        raise UsageError("Nothing to do: give --database-url, --amqp-url or --bootstrap. See `outlast migrate --help`.")
