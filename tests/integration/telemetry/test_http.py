"""The telemetry port: alive, ready, metrics, and in nobody's way."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPResponse

import pytest
from prometheus_client.parser import text_string_to_metric_families

from shared.errors import UsageError
from shared.telemetry import checks, http, listener
from shared.telemetry.register import Register

CANARY = "SECRETMARK7"
Serve = Callable[..., http.Server]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as running:

        def start(host: str = "127.0.0.1", **parts: object) -> http.Server:
            chosen: dict[str, object] = {"live": list, "ready": list, "register": Register(), **parts}
            server = http.serve(host, 0, **chosen)  # type: ignore[arg-type]  # the parts of each test
            running.callback(server.close)
            return server

        yield start


def ask(port: int, path: str, method: str = "GET", host: str = "127.0.0.1") -> tuple[int, str]:
    response, body = fetch(port, path, method, host)
    return response.status, body


def fetch(port: int, path: str, method: str = "GET", host: str = "127.0.0.1") -> tuple[HTTPResponse, str]:
    connection = HTTPConnection(host, port, timeout=30)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response, response.read().decode()
    finally:
        connection.close()


def test_without_problems_the_answer_is_ok(serve: Serve) -> None:
    server = serve()
    assert ask(server.port, "/livez") == (200, "ok\n")
    assert ask(server.port, "/readyz?verbose=1") == (200, "ok\n")


def test_problems_are_a_line_each_and_redacted(serve: Serve) -> None:
    problems = ["no database", f"no broker\nat amqp://u:{CANARY}@h/v"]
    server = serve(ready=lambda: problems)
    assert ask(server.port, "/readyz") == (503, "no database\nno broker at amqp://h/...\n")
    assert ask(server.port, "/livez") == (200, "ok\n")


def test_a_check_that_raises_is_a_problem_and_the_server_lives_on(serve: Serve) -> None:
    def broken() -> list[str]:
        raise ConnectionError(f"https://u:{CANARY}@h/x")

    server = serve(live=broken)
    for _ in range(3):
        assert ask(server.port, "/livez") == (503, "the live check failed: ConnectionError: https://h/...\n")
    assert ask(server.port, "/readyz") == (200, "ok\n")


def test_a_check_that_hangs_is_a_problem_for_the_next_who_asks(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "WAIT_SECONDS", 0.1)
    asked, ended = threading.Event(), threading.Event()

    def hang() -> list[str]:
        asked.set()
        ended.wait(60)
        return []

    server = serve(ready=hang)
    first = threading.Thread(target=ask, args=(server.port, "/readyz"))
    first.start()
    try:
        assert asked.wait(10)
        assert ask(server.port, "/readyz") == (503, "an earlier ready check has not ended\n")
        assert ask(server.port, "/livez") == (200, "ok\n")
    finally:
        ended.set()
        first.join()
    assert ask(server.port, "/readyz") == (200, "ok\n")


def test_metrics_are_in_the_text_format_of_prometheus(serve: Serve) -> None:
    register = Register()
    register.counter("outlast_events_total", "Events.", outcome=("accepted",)).add(outcome="accepted")
    response, body = fetch(serve(register=register).port, "/metrics")
    assert response.status == 200
    assert response.getheader("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
    [family] = text_string_to_metric_families(body)
    assert [(sample.name, sample.labels, sample.value) for sample in family.samples] == [
        ("outlast_events_total", {"outcome": "accepted"}, 1.0)
    ]


def test_a_collector_that_breaks_is_a_500_and_the_server_lives_on(serve: Serve) -> None:
    class Broken:
        def collect(self) -> list[object]:
            raise ValueError(f"https://h/{CANARY}")

    register = Register()
    register.attach(Broken())  # type: ignore[arg-type]  # that is the case
    server = serve(register=register)
    assert ask(server.port, "/metrics") == (500, "failed; the log says why\n")
    assert ask(server.port, "/livez") == (200, "ok\n")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "NONSENSE"])
def test_only_get_is_answered(serve: Serve, method: str) -> None:
    response, _ = fetch(serve().port, "/livez", method)
    assert response.status == 405
    assert response.getheader("Allow") == "GET"


def test_other_paths_are_not_found_and_not_repeated(serve: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(serve().port, f"/{CANARY}?sig={CANARY}") == (404, "not found\n")
    out, err = capfd.readouterr()
    assert CANARY not in out + err


@pytest.mark.parametrize(
    "request_line", [f"GET /{CANARY} a b", f"{CANARY}", f"GET /livez HTTP/{CANARY}", "GET /" + "a" * 70_000]
)
def test_a_request_that_is_none_is_refused_without_repeating_it(serve: Serve, request_line: str) -> None:
    with socket.create_connection(("127.0.0.1", serve().port), timeout=30) as client:
        client.sendall(f"{request_line}\r\n\r\n".encode())
        answer = read_all(client)
    assert b"refused" in answer
    assert CANARY.encode() not in answer


def read_all(client: socket.socket) -> bytes:
    parts = []
    try:
        while part := client.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        # The server closed with input of ours unread.
        pass
    return b"".join(parts)


def test_clients_who_say_nothing_do_not_keep_others_out(serve: Serve) -> None:
    server = serve()
    with ExitStack() as open_connections:
        for _ in range(3 * listener.MAX_CONNECTIONS):
            open_connections.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
        assert ask(server.port, "/livez") == (200, "ok\n")
        telemetry = [thread for thread in threading.enumerate() if "process_request_thread" in thread.name]
        assert len(telemetry) <= 2 * listener.MAX_CONNECTIONS


def test_a_client_who_says_nothing_more_is_dropped(serve: Serve) -> None:
    with socket.create_connection(("127.0.0.1", serve().port), timeout=30) as client:
        client.sendall(b"GET /livez HTTP/1.1\r\n")
        began = time.monotonic()
        assert client.recv(1) == b""
        assert time.monotonic() - began < 2 * listener.SILENCE_SECONDS


def test_a_connection_serves_one_request(serve: Serve) -> None:
    with socket.create_connection(("127.0.0.1", serve().port), timeout=30) as client:
        client.sendall(b"GET /livez HTTP/1.1\r\n\r\nGET /livez HTTP/1.1\r\n\r\n")
        assert read_all(client).count(b"HTTP/1.1 200") == 1


def test_a_port_that_is_taken_is_a_usage_error_that_says_what_to_do(serve: Serve) -> None:
    port = serve().port
    with pytest.raises(
        UsageError, match=f"Cannot listen on 127.0.0.1, port {port}: Address already in use. Set OUTLAST"
    ):
        http.serve("127.0.0.1", port, live=list, ready=list)


@pytest.mark.parametrize("host", ["203.0.113.1", "no such host", "host.invalid"])
def test_an_address_that_is_not_ours_is_a_usage_error(host: str) -> None:
    with pytest.raises(UsageError, match="Cannot listen on"):
        http.serve(host, 0, live=list, ready=list)


def test_it_listens_on_ipv6_too(serve: Serve) -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    assert ask(serve("::1").port, "/livez", host="::1") == (200, "ok\n")


def test_closing_frees_the_port_at_once(serve: Serve) -> None:
    first = http.serve("127.0.0.1", 0, live=list, ready=list)
    with socket.create_connection(("127.0.0.1", first.port), timeout=30) as idle:
        first.close()
        assert read_all(idle) == b""
    second = http.serve("127.0.0.1", first.port, live=list, ready=list)
    second.close()
