"""The demo provider over real HTTP."""

import http.client
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.local.demo.proof import dead_links
from deploy.local.demo.provider import DemoProvider, Offer
from deploy.local.demo.server import Server

CANARY = "CANARY-3b9d"
LARGE = 20 * 2**20


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def provider(server: Server, tmp_path: Path) -> DemoProvider:
    large = tmp_path / "large.bin"
    large.write_bytes(b"0123456789abcdef" * (LARGE // 16))
    offers = [Offer("small", "a.png", "image/png", b"picture", 600), Offer("large", "l.bin", "x/y", large, 600)]
    provider = DemoProvider(CANARY, server.origin, offers)
    server.start(provider.answer)
    return provider


def ask(link: str, method: str = "GET") -> tuple[int, http.client.HTTPMessage, bytes]:
    parts = urlsplit(link)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    try:
        connection.request(method, f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def test_a_link_gives_its_file_with_length_and_type(provider: DemoProvider) -> None:
    status, headers, body = ask(provider.link("large"))
    assert status == 200
    assert headers["Content-Type"] == "x/y"
    assert int(headers["Content-Length"]) == len(body) == LARGE


def test_a_dead_link_and_a_head_request_get_403(provider: DemoProvider) -> None:
    status, _, body = ask(provider.link("small", age=601))
    assert status == 403
    assert b"Request has expired" in body
    assert ask(provider.link("small"), "HEAD")[0] == 403


def test_the_proof_of_dead_links_asks_each_one(provider: DemoProvider) -> None:
    dead = [provider.link("small", age=601), provider.link("large", age=700)]
    assert dead_links(dead).holds
    assert not dead_links([*dead, provider.link("small")]).holds


def test_links_of_a_provider_that_is_gone_are_not_taken_for_dead(server: Server, provider: DemoProvider) -> None:
    link = provider.link("small", age=601)
    server.stop()
    assert not dead_links([link]).holds


def test_a_client_that_leaves_in_the_middle_harms_nobody(
    provider: DemoProvider, capfd: pytest.CaptureFixture[str]
) -> None:
    parts = urlsplit(provider.link("large"))
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=20) as leaving:
        leaving.sendall(f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert leaving.recv(1000).startswith(b"HTTP/1.1 200")
    assert ask(provider.link("small"))[2] == b"picture"
    assert "".join(capfd.readouterr()) == ""
