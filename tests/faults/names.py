"""A name server on loopback whose answers are a table, and may change from one question to the next."""

import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from types import TracebackType
from typing import Self

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset


class NameServer:
    """Answers A and AAAA questions; use it with `with`.

    `table` maps a name (no final dot) to rounds of addresses: the first pair of questions is answered from the
    first round, the next from the second, and so on; the last round stays. A name that maps to None is never
    answered, and neither is AAAA of a name in `no_aaaa`; a name that is not there is NXDOMAIN.
    """

    def __init__(self, table: Mapping[str, Sequence[Sequence[str]] | None], no_aaaa: Sequence[str] = ()) -> None:
        self._table, self._no_aaaa = table, no_aaaa
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = Thread(target=self._serve, daemon=True)
        self._rounds: dict[tuple[str, str], int] = {}
        self.questions: list[str] = []

    @property
    def pair(self) -> tuple[str, int]:
        """Address and port."""
        host, port = self._socket.getsockname()
        return host, port

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        while True:
            data, peer = self._socket.recvfrom(4096)
            if not data:
                return
            reply = self._reply(dns.message.from_wire(data))
            if reply:
                self._socket.sendto(reply.to_wire(), peer)

    def _reply(self, query: dns.message.Message) -> dns.message.Message | None:
        question = query.question[0]
        name, kind = question.name.to_text().rstrip("."), dns.rdatatype.to_text(question.rdtype)
        self.questions.append(question.name.to_text())
        rounds = self._table.get(name, ())
        if rounds is None or (kind == "AAAA" and name in self._no_aaaa):
            return None
        reply = dns.message.make_response(query)
        reply.flags |= dns.flags.RA
        if not rounds:
            reply.set_rcode(dns.rcode.NXDOMAIN)
            return reply
        asked = self._rounds[name, kind] = self._rounds.get((name, kind), -1) + 1
        addresses = [a for a in rounds[min(asked, len(rounds) - 1)] if (":" in a) == (kind == "AAAA")]
        if addresses:
            reply.answer.append(dns.rrset.from_text(question.name, 1, "IN", kind, *addresses))
        return reply
