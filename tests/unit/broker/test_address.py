import traceback

import pytest

from shared.broker.address import Address
from shared.errors import UsageError


def test_every_part_of_the_url_is_decoded() -> None:
    address = Address.parse("amqp://us%40er:p%2F%3A%40ss@broker.example:5673/my%2Fhost")
    assert address == Address("broker.example", 5673, "us@er", "p/:@ss", "my/host", tls=False)


@pytest.mark.parametrize("path", ["", "/", "/%2F", "//"])
def test_no_virtual_host_is_the_default_one(path: str) -> None:
    assert Address.parse(f"amqp://broker{path}").virtual_host == "/"


def test_the_scheme_decides_about_tls_and_the_usual_port() -> None:
    assert [(a.port, a.tls) for a in map(Address.parse, ("amqp://h", "amqps://h"))] == [(5672, False), (5671, True)]


def test_an_ipv6_host_is_read_without_its_brackets() -> None:
    assert Address.parse("amqp://[::1]:5672/").host == "::1"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "broker:5672",
        "http://u:canary@h/",
        "amqp://u:canary@h:port/",
        "amqp://u:can/ary@h/",
        "amqp://u:1/canary@h/",
        "amqp://u:canary@h:1/?heartbeat=0",
        "amqp:///canary",
        "amqp://u:canary@h:99999/",
    ],
)
def test_a_wrong_url_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(UsageError, match="amqp://USER:PASSWORD@HOST:PORT/VHOST") as error:
        Address.parse(url)
    text = "".join(traceback.format_exception(error.value))
    assert "canary" not in text
    assert "port could" not in text.lower()


def test_the_password_is_in_no_repr_and_not_in_the_spoken_address() -> None:
    address = Address.parse("amqp://user:canary@h:1/v")
    assert "canary" not in repr(address)
    assert address.spoken == "h:1 as user 'user' in virtual host 'v'"
