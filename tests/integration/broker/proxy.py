"""A TCP proxy in front of a real broker that can fall silent or cut connections."""

import contextlib
import select
import socket
from threading import Event, Lock, Thread
from urllib.parse import urlsplit


class Proxy:
    """Forwards one port; `accepted` counts its connections."""

    def __init__(self, amqp_url: str) -> None:
        parts = urlsplit(amqp_url)
        assert parts.hostname
        assert parts.port
        self._upstream = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = amqp_url.replace(f":{parts.port}/", f":{self._listener.getsockname()[1]}/")
        self.accepted = 0
        self.heard = Event()
        self.heard.set()
        self._sockets: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self._lock = Lock()
        self._acceptor = Thread(target=self._accept)
        self._acceptor.start()

    def fall_silent(self) -> None:
        """Hold back what the broker says from now on."""
        self.heard.clear()

    def speak(self) -> None:
        """Hand over what was held back."""
        self.heard.set()

    def cut(self) -> None:
        """Close every connection."""
        with self._lock:
            for end in self._sockets:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close everything and end the threads."""
        self.speak()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            thread = Thread(target=self._forward, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _forward(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._upstream) as broker:
            with self._lock:
                self._sockets |= {client, broker}
            with contextlib.suppress(OSError):
                while self._pass_on(client, broker):
                    pass
            with self._lock:
                self._sockets -= {client, broker}

    def _pass_on(self, client: socket.socket, broker: socket.socket) -> bool:
        ends = [client, broker] if self.heard.is_set() else [client]
        readable, _, _ = select.select(ends, [], [], 0.02)
        for end in readable:
            data = end.recv(65536)
            if not data:
                return False
            (broker if end is client else client).sendall(data)
        return True
