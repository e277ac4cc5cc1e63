"""What `stack.json` tells tools and tests about a stack."""

from collections.abc import Mapping

from deploy.local.environment import DATABASE, VHOST
from deploy.local.object_store import REGION, ObjectStore
from deploy.local.ports import HOST
from deploy.local.postgres import SUPERUSER, Postgres
from deploy.local.rabbitmq import ADMINISTRATOR, RabbitMQ


def describe(
    ports: Mapping[str, int], postgres: Postgres, rabbitmq: RabbitMQ, store: ObjectStore
) -> dict[str, Mapping[str, object]]:
    """All ports by name, and for each server its address and its administrator's credentials.

    `rabbitmq.url` is of the default virtual host, `postgres.url` of the maintenance database.
    """
    return {
        "ports": ports,
        "postgres": {
            "host": HOST,
            "port": postgres.port,
            "user": SUPERUSER,
            "password": postgres.password(SUPERUSER),
            "url": postgres.url(SUPERUSER, "postgres"),
            "database": DATABASE,
        },
        "rabbitmq": {
            "host": HOST,
            "port": rabbitmq.ports["amqp"],
            "user": ADMINISTRATOR,
            "password": rabbitmq.password(ADMINISTRATOR),
            "url": rabbitmq.url(ADMINISTRATOR, "%2F"),
            "vhost": VHOST,
            "management_url": rabbitmq.management(),
            "management_port": rabbitmq.ports["management"],
        },
        "s3": {
            "host": HOST,
            "port": store.port,
            "endpoint": store.address(),
            "region": REGION,
            "access_key": store.access_key,
            "secret_key": store.secret_key,
        },
    }
