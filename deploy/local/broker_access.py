"""Virtual host, users and rights of the local RabbitMQ: each service may do its own part and no more."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from deploy.local.environment import VHOST
from deploy.local.process import StartError
from deploy.local.rabbitmq import ADMINISTRATOR, RabbitMQ
from shared.states import Stage
from shared.topology import INTAKE, RESULTS, TASKS, hint_queue

POSTER = "processor.poster"
"""The queue of the example processor."""
ANY_ACCOUNT = r"^[a-z0-9][a-z0-9-]{0,62}\."


@dataclass(frozen=True)
class Rights:
    """The names a user may declare, write to and read from, and the pattern of its routing keys on the intake."""

    configure: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    intake_keys: str | None = None


USERS = {
    "ingest": Rights(write=(TASKS, RESULTS), read=(INTAKE,)),
    "downloader": Rights(write=(TASKS, RESULTS), read=(hint_queue(Stage.DOWNLOAD),)),
    "verifier": Rights(write=(TASKS, RESULTS), read=(hint_queue(Stage.VERIFY),)),
    "promoter": Rights(write=(TASKS, RESULTS), read=(hint_queue(Stage.PROMOTE),)),
    "operator": Rights(write=(TASKS, RESULTS)),
    # In production a producer is bound to the keys of its own account.
    "producer": Rights(write=(INTAKE,), intake_keys=ANY_ACCOUNT),
    # A processor declares a queue of its own and binds it: for that it writes to the queue and reads the exchange.
    "processor": Rights(configure=(POSTER,), write=(POSTER,), read=(RESULTS, POSTER)),
}


def grant(rabbitmq: RabbitMQ) -> None:
    """Make the virtual host, the users and their rights; safe to repeat. Raises StartError when refused."""
    _put(rabbitmq, f"/vhosts/{VHOST}", {})
    _put(rabbitmq, f"/permissions/{VHOST}/{ADMINISTRATOR}", {"configure": ".*", "write": ".*", "read": ".*"})
    for user, rights in USERS.items():
        _put(rabbitmq, f"/users/{user}", {"password": rabbitmq.password(user), "tags": ""})
        _put(rabbitmq, f"/permissions/{VHOST}/{user}", permissions(rights))
        if rights.intake_keys is not None:
            keys = {"exchange": INTAKE, "write": rights.intake_keys, "read": "^$"}
            _put(rabbitmq, f"/topic-permissions/{VHOST}/{user}", keys)


def permissions(rights: Rights) -> dict[str, str]:
    """The patterns of names that RabbitMQ's management API takes."""
    return {"configure": _only(rights.configure), "write": _only(rights.write), "read": _only(rights.read)}


def _only(names: tuple[str, ...]) -> str:
    return f"^({'|'.join(map(re.escape, names))})$"


def _put(rabbitmq: RabbitMQ, path: str, body: Mapping[str, str]) -> None:
    status, answer = rabbitmq.call("PUT", path, body)
    if status not in (201, 204):
        raise StartError(f"RabbitMQ refused PUT {path}: {status} {answer}")
