"""The `OUTLAST_*` variables that each service, tool and person needs to reach the local stack."""

import shlex
from collections.abc import Mapping

from deploy.local.credentials import Credentials
from deploy.local.object_store import REGION, ObjectStore
from deploy.local.postgres import SUPERUSER, Postgres
from deploy.local.rabbitmq import ADMINISTRATOR, RabbitMQ

DATABASE = "outlast"
VHOST = "outlast"
ROLES = {
    "owner": "outlast_owner",
    "ingest": "outlast_ingest",
    "downloader": "outlast_downloader",
    "verifier": "outlast_verifier",
    "promoter": "outlast_promoter",
    "sweeper": "outlast_sweeper",
    "operator": "outlast_operator",
    "reader": "outlast_reader",
    "processor": "outlast_processor",
    "admin": SUPERUSER,
}
"""The Postgres role of each user of the stack."""
BROKER_USERS = {
    **{name: name for name in ("ingest", "downloader", "verifier", "promoter", "operator", "producer", "processor")},
    "admin": ADMINISTRATOR,
}
"""The RabbitMQ user of each user of the stack."""
SEALERS = frozenset({"ingest", "downloader", "operator", "admin"})
"""Those that seal or open source URLs."""


class Environment:
    """Makes the variables from the addresses and secrets of the servers."""

    def __init__(self, postgres: Postgres, rabbitmq: RabbitMQ, store: ObjectStore, credentials: Credentials) -> None:
        self._postgres = postgres
        self._rabbitmq = rabbitmq
        self._store = store
        self._credentials = credentials

    def of(self, name: str) -> dict[str, str]:
        """The variables of a service or of sweeper, operator, reader, producer, processor, owner, admin.

        Passwords are named by their files. Raises KeyError for any other name.
        """
        if name not in ROLES and name not in BROKER_USERS:
            raise KeyError(name)
        found = self._object_store()
        if name in ROLES:
            role = ROLES[name]
            found["OUTLAST_DATABASE_URL"] = _with_user(self._postgres.address(), role, DATABASE)
            found["OUTLAST_DATABASE_PASSWORD_FILE"] = str(self._postgres.password_file(role))
        if name in BROKER_USERS:
            user = BROKER_USERS[name]
            found["OUTLAST_AMQP_URL"] = _with_user(self._rabbitmq.address(), user, VHOST)
            found["OUTLAST_AMQP_PASSWORD_FILE"] = str(self._rabbitmq.password_file(user))
        if name in SEALERS:
            found["OUTLAST_KEYRING_FILE"] = str(self._credentials.keyring_file())
        return found

    def of_a_person(self) -> dict[str, str]:
        """The variables of somebody at a terminal: reads as `outlast_reader`, publishes as `producer`."""
        return {
            **self._object_store(),
            "OUTLAST_DATABASE_URL": self._postgres.url(ROLES["reader"], DATABASE),
            "OUTLAST_OPERATOR_DATABASE_URL": self._postgres.url(ROLES["operator"], DATABASE),
            "OUTLAST_SWEEPER_DATABASE_URL": self._postgres.url(ROLES["sweeper"], DATABASE),
            "OUTLAST_AMQP_URL": self._rabbitmq.url(BROKER_USERS["producer"], VHOST),
        }

    def _object_store(self) -> dict[str, str]:
        return {
            "OUTLAST_S3_ENDPOINT": self._store.address(),
            "OUTLAST_S3_REGION": REGION,
            "OUTLAST_S3_ACCESS_KEY": self._store.access_key,
            "OUTLAST_S3_SECRET_KEY_FILE": str(self._store.secret_key_file),
        }


def to_lines(variables: Mapping[str, str]) -> str:
    """`KEY=VALUE` lines that a shell can read too (`set -a; . FILE; set +a`)."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items())


def _with_user(address: str, user: str, path: str) -> str:
    scheme, _, host = address.partition("://")
    return f"{scheme}://{user}@{host}/{path}"
