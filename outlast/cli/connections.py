"""Where the command finds RabbitMQ and Postgres: the environment, else the local stack of this folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import typer
from pydantic import SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from deploy.local.folders import DEMO, STACK
from deploy.local.process import any_lives
from deploy.local.spoken import outlast
from outlast.following import Read
from outlast.submit import Input
from shared.errors import Failure, UsageError
from shared.reasons import Reason
from shared.settings import secret_from

if TYPE_CHECKING:  # needs packages that a producer does not have
    from shared.db.database import Database
    from shared.objects import Store

VARIABLES = "outlast.env"


class Connections(BaseSettings):
    """The addresses that a person's command needs; each field is the variable `OUTLAST_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="OUTLAST_", extra="ignore", hide_input_in_errors=True)

    amqp_url: SecretStr | None = None
    amqp_password_file: Path | None = None
    database_url: SecretStr | None = None
    database_password_file: Path | None = None
    operator_database_url: SecretStr | None = None
    operator_database_password_file: Path | None = None
    sweeper_database_url: SecretStr | None = None
    sweeper_database_password_file: Path | None = None
    s3_endpoint: str | None = None
    s3_region: str = "us-east-1"
    s3_access_key: str = ""
    s3_secret_key_file: Path | None = None
    s3_part_bytes: int = 8 * 2**20
    input_bucket: str = "outlast-input"
    input_prefix: str = ""

    def amqp(self) -> str:
        """The AMQP URL with its password. Raises UsageError without one."""
        return _whole(self.amqp_url, self.amqp_password_file, "OUTLAST_AMQP_URL")

    def database(self) -> str:
        """The libpq URL of a reader, with its password. Raises UsageError without one."""
        return _whole(self.database_url, self.database_password_file, "OUTLAST_DATABASE_URL")

    def operator_database(self) -> str:
        """The libpq URL of an operator, with its password. Raises UsageError without one."""
        url, password_file = self.operator_database_url, self.operator_database_password_file
        return _whole(url, password_file, "OUTLAST_OPERATOR_DATABASE_URL")

    def sweeper_database(self) -> str:
        """The libpq URL of the sweeper, with its password. Raises UsageError without one."""
        url, password_file = self.sweeper_database_url, self.sweeper_database_password_file
        return _whole(url, password_file, "OUTLAST_SWEEPER_DATABASE_URL")

    def input(self) -> Input:
        """Where files are put that are to be captured. Raises UsageError as `store` does."""
        return Input(self.store(), self.input_bucket, self.input_prefix)

    def store(self) -> "Store":
        """The object store, under the person's own key. Raises UsageError without one, or without its package."""
        if self.s3_endpoint is None:
            raise UsageError(f"Set OUTLAST_S3_ENDPOINT, or start the local stack: {outlast('up')}")
        try:
            from shared.objects import Store
        except ImportError as error:
            raise UsageError(f"This needs {error.name}: pip install 'outlast[services]'.") from error
        secret = secret_from(self.s3_secret_key_file)
        return Store.open(self.s3_endpoint, self.s3_region, self.s3_access_key, secret, part_bytes=self.s3_part_bytes)

    @contextmanager
    def reader(self) -> Iterator[Read]:
        """A look at tasks, over a connection of its own. Raises UsageError as `opened` does."""
        with opened(self.database()) as database:
            from shared.db.views import read_task

            yield partial(read_task, database)


@contextmanager
def opened(url: str) -> Iterator["Database"]:
    """The database of a URL for as long as the block lasts.

    Raises UsageError where it does not answer, also for a Failure of the block, or if a package is missing.
    """
    try:
        from shared.db.database import Database
    except ImportError as error:
        raise UsageError(f"This needs {error.name}: pip install 'outlast[services]'.") from error
    database = Database(url, connections=1, name="outlast")
    try:
        yield database
    except Failure as failure:
        if failure.reason is not Reason.DATABASE:
            raise
        raise UsageError(f"The database{_place(url)} does not answer, or does not let this user in.") from None
    finally:
        database.close()


def connections() -> Connections:
    """Read the environment; when it names no address, read the local stack's file and say so.

    Raises UsageError when there are local stacks of which none runs.
    """
    told = Connections()
    databases = (told.database_url, told.operator_database_url, told.sweeper_database_url)
    if told.amqp_url or any(databases) or told.s3_endpoint:
        return told
    stack = running_stack()
    if stack is None:
        return told
    typer.echo(f"Using the local stack in {stack}", err=True)
    return Connections(_env_file=stack / VARIABLES)


def running_stack() -> Path | None:
    """The folder of the nearest local stack that runs; None where there is no stack at all.

    Raises UsageError when there are local stacks of which none runs.
    """
    stacks = [stack for stack in _local_stacks() if (stack / VARIABLES).is_file()]
    for stack in stacks:
        if any_lives(stack):
            return stack
    if stacks:
        raise UsageError(f"The local stack does not run. Start it: {outlast('up', '--dir', stacks[0])}")
    return None


def _local_stacks() -> Iterator[Path]:
    """The nearest folder first."""
    here = Path.cwd()
    return (folder / stack for folder in (here, *here.parents) for stack in (STACK, DEMO))


def _place(url: str) -> str:
    """Where a database is, without user and password; empty where that cannot be told from the URL for certain."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f" at {host}" if host and "@" not in parts.path + parts.query + parts.fragment else ""


def _whole(url: SecretStr | None, password_file: Path | None, variable: str) -> str:
    if url is None:
        raise UsageError(f"Set {variable}, or start the local stack: {outlast('up')}")
    parts, password = urlsplit(url.get_secret_value()), secret_from(password_file)
    if not password:
        return parts.geturl()
    user, _, host = parts.netloc.rpartition("@")
    name = user.partition(":")[0]
    return parts._replace(netloc=f"{name}:{quote(password, safe='')}@{host}").geturl()
