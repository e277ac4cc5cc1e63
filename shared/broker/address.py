"""Where a broker is and who we are there, read once so that no library ever sees or logs the URL."""

from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from shared.errors import UsageError

_PORTS = {"amqp": 5672, "amqps": 5671}


@dataclass(frozen=True)
class Address:
    """A broker, a user and a virtual host; the password is in no repr."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    virtual_host: str
    tls: bool

    @classmethod
    def parse(cls, amqp_url: str) -> "Address":
        """Read `amqp[s]://USER:PASSWORD@HOST:PORT/VHOST`, each part percent-encoded; an empty VHOST is `/`.

        Raises UsageError, which never shows the URL.
        """
        try:
            parts = urlsplit(amqp_url)
            default_port = _PORTS[parts.scheme]
            port = parts.port or default_port
        except (ValueError, KeyError):
            raise _wrong() from None
        if not parts.hostname or "@" in parts.path or parts.query or parts.fragment:
            raise _wrong()
        return cls(
            host=parts.hostname,
            port=port,
            user=unquote(parts.username or "guest"),
            password=unquote(parts.password or "guest"),
            virtual_host=unquote(parts.path[1:]) or "/",
            tls=parts.scheme == "amqps",
        )

    @property
    def spoken(self) -> str:
        """The address for a person: user, host, port and virtual host."""
        return f"{self.host}:{self.port} as user {self.user!r} in virtual host {self.virtual_host!r}"


def _wrong() -> UsageError:
    return UsageError(
        "The AMQP URL is wrong: it needs the form amqp://USER:PASSWORD@HOST:PORT/VHOST (amqps for TLS), "
        "with special characters in its parts percent-encoded."
    )
