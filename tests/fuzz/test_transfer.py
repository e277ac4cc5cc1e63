"""A sample of what `make fuzz` does, the same cases each time."""

import pytest

from tests.faults.canary import LINK
from tests.fuzz.cases import Case
from tests.fuzz.peer import HOST, Reply
from tests.fuzz.running import run_cases, run_each

SEED = 20261130
SAMPLE = 800

REACHED = {
    "urls": """bytes blocked_address redirect_refused protocol_violation source_unavailable url_refused source_gone
        url_expired tls_invalid""",
    "headers": """bytes protocol_violation redirect_refused source_unavailable empty_body truncated rate_limited stalled
        too_large url_refused source_gone error_body blocked_address size_mismatch declared_mismatch""",
    "bodies": """bytes truncated protocol_violation source_unavailable too_large source_gone url_refused error_body
        stalled size_mismatch declared_mismatch empty_body url_expired credential_refused""",
}
"""How the transfers of a sample must end, some each, as a sample that reaches little proves little."""


@pytest.mark.parametrize("kind", REACHED)
def test_case_88_to_93_whatever_a_link_and_its_source_are_a_transfer_ends_in_bytes_or_in_a_reason(kind: str) -> None:
    tally = run_cases(kind, SEED, range(SAMPLE), arenas=4)
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.done == SAMPLE
    assert tally.connections["denied"] == 0
    assert tally.connections["allowed"] > SAMPLE / 3
    assert set(REACHED[kind].split()) <= set(tally.words), tally.line()


def test_a_refusal_that_drips_for_a_minute_ends_at_the_deadline() -> None:
    front = b"HTTP/1.1 403 Said\r\nContent-Length: 3000\r\n\r\n"
    reply = Reply(front + b"wait " * 600, tuple(range(len(front), 3000)), pause_seconds=0.02)

    def drips(number: int, port: int) -> Case:
        return Case(f"http://{HOST}:{port}{LINK}", (reply,))

    tally = run_each(drips, [0], arenas=1)
    assert (tally.faults, tally.words) == ([], {"url_refused": 1})
    assert tally.slowest[0] > 1.0, "it went on until then"


ANSWERS = {
    "length": b'HTTP/1.1 200 OK\r\nContent-Length: 40\r\nETag: "v1"\r\n\r\n\x00\x00\x00\x20ftypisom' + bytes(28),
    "chunked": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\nbytes\r\n00A;x\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
    "interim": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 No\r\nX: a\r\n b\r\n\r\n<Code>NoSuchKey</Code>"
    + LINK.encode(),
    "redirect": b"HTTP/1.1 302 Found\r\nLocation: /next?x=1\r\nContent-Length: 3\r\n\r\nabc",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_cut_at_any_place_ends_in_bytes_or_in_a_reason(name: str) -> None:
    answer, good = ANSWERS[name], Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbytes")

    def cut(at: int, port: int) -> Case:
        return Case(f"http://{HOST}:{port}{LINK}", (Reply(answer[:at], cuts=(at // 2,)), good))

    tally = run_each(cut, range(len(answer) + 1), arenas=4)
    assert not tally.faults, "\n".join(tally.faults)
    assert tally.done == len(answer) + 1
