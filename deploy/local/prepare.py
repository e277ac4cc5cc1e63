"""What the servers need before the services start: roles and schema, queues and users, buckets."""

from collections.abc import Iterable

from deploy.local.broker_access import grant
from deploy.local.environment import DATABASE, ROLES, VHOST
from deploy.local.object_store import REGION, ObjectStore
from deploy.local.postgres import SUPERUSER, Postgres
from deploy.local.rabbitmq import ADMINISTRATOR, RabbitMQ
from shared.broker.declare import declare
from shared.db.migrations import bootstrap_database, migrate_database
from shared.objects import Store

PART_BYTES = 8 * 2**20


def prepare_database(postgres: Postgres) -> None:
    """Make the roles with their passwords, the database and its schema."""
    passwords = {role: postgres.password(role) for role in ROLES.values() if role != SUPERUSER}
    bootstrap_database(postgres.url(SUPERUSER, "postgres"), DATABASE, passwords)
    migrate_database(postgres.url(ROLES["owner"], DATABASE))


def prepare_broker(rabbitmq: RabbitMQ) -> None:
    """Make the virtual host, users and rights, and declare exchanges and queues."""
    grant(rabbitmq)
    declare(rabbitmq.url(ADMINISTRATOR, VHOST))


def prepare_buckets(server: ObjectStore, buckets: Iterable[str]) -> None:
    """Make the buckets."""
    store = Store.open(server.address(), REGION, server.access_key, server.secret_key, part_bytes=PART_BYTES)
    for bucket in buckets:
        store.ensure_bucket(bucket)
