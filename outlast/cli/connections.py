"""Where the command finds RabbitMQ and Postgres: the environment, else the local stack of this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

import typer
from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from outlast.following import Read
from shared.errors import UsageError
from shared.settings import secret_from

LOCAL_STACK = Path(".local/stack/outlast.env")


class Connections(BaseSettings):
    """The addresses that a person's command needs; each field is the variable `OUTLAST_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="OUTLAST_", extra="ignore", hide_input_in_errors=True)

    amqp_url: SecretStr | None = None
    amqp_password_file: Path | None = None
    database_url: SecretStr | None = None
    database_password_file: Path | None = None

    def amqp(self) -> str:
        """The AMQP URL with its password. Raises UsageError without one."""
        return _whole(self.amqp_url, self.amqp_password_file, "OUTLAST_AMQP_URL")

    def database(self) -> str:
        """The libpq URL with its password. Raises UsageError without one."""
        return _whole(self.database_url, self.database_password_file, "OUTLAST_DATABASE_URL")

    @contextmanager
    def reader(self) -> Iterator[Read]:
        """A look at tasks, over a connection of its own. Raises UsageError if a package for it is missing."""
        try:
            from shared.db.database import Database
            from shared.db.views import read_task
        except ImportError as error:
            raise UsageError(f"This needs {error.name}: pip install 'outlast[services]'.") from error
        database = Database(self.database(), connections=1, name="outlast")
        try:
            yield partial(read_task, database)
        finally:
            database.close()


def connections() -> Connections:
    """Read the environment; when it names neither address, read the local stack's file and say so."""
    told = Connections()
    if told.amqp_url or told.database_url:
        return told
    here = Path.cwd()
    for file in (folder / LOCAL_STACK for folder in (here, *here.parents)):
        if file.is_file():
            typer.echo(f"Using the local stack: {file}", err=True)
            return Connections(_env_file=file)
    return told


def _whole(url: SecretStr | None, password_file: Path | None, variable: str) -> str:
    if url is None:
        raise UsageError(f"Set {variable}, or start the local stack with `outlast up`.")
    parts, password = urlsplit(url.get_secret_value()), secret_from(password_file)
    if not password:
        return parts.geturl()
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return parts._replace(netloc=f"{name}:{quote(password, safe='')}@{host}").geturl()
