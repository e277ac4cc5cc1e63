"""The body of a request, within its limits."""

import asyncio

from starlette.requests import ClientDisconnect, Request

from services.ingest.webhooks.answer import PACKED, TOO_LARGE, TOO_SLOW, Declined, unreadable

BODY_SECONDS = 10.0
"""Limit for the whole body. Providers send a few kilobytes at once, and most give up after 5 to 30 s."""

GONE = unreadable("the body ended early")


async def read_body(request: Request, most_bytes: int) -> bytes:
    """The body in raw bytes. Raises Declined for one that is packed, too large, too slow, or ends early."""
    if set(_values(request, b"content-encoding")) - {b"", b"identity"}:
        raise Declined(PACKED)
    # The head is checked by h11: it is one number, or there is none.
    if any(int(value) > most_bytes for value in _values(request, b"content-length")):
        raise Declined(TOO_LARGE)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _whole(request, most_bytes)
    except TimeoutError:
        raise Declined(TOO_SLOW) from None
    except ClientDisconnect:
        raise Declined(GONE) from None


async def _whole(request: Request, most_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise Declined(TOO_LARGE)
    return bytes(body)


def _values(request: Request, name: bytes) -> list[bytes]:
    return [value.strip().lower() for found, value in request.scope["headers"] if found == name]
