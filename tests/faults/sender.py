"""Providers that send webhooks: many at once, at a steady rate, and again after what was no 2xx."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import uniform
from time import monotonic

Post = tuple[int, str, Mapping[str, str], bytes]
"""Port, target, headers and body of one request."""
Make = Callable[[], Post]
"""Makes a request anew for each try."""
UNANSWERED = 0


@dataclass
class Delivery:
    """One webhook: the status of each try in its order, and how many seconds its answer took."""

    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def is_taken(self) -> bool:
        """Whether it was taken in the end."""
        return 200 <= self.statuses[-1] < 300


async def post(post: Post, timeout: float) -> int:
    """Send a request on a connection of its own; the status of its answer, 0 where none came in time."""
    port, target, headers, body = post
    lines = [f"POST {target} HTTP/1.1", "Host: hooks.example", f"Content-Length: {len(body)}"]
    head = "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode()
    try:
        async with asyncio.timeout(timeout):
            hears, says = await asyncio.open_connection("127.0.0.1", port)
            try:
                says.write(head + body)
                answer = await hears.readuntil(b"\r\n\r\n")
            finally:
                says.close()
                # Else the loop may end before the connection has.
                await says.wait_closed()
    except (OSError, EOFError, TimeoutError):
        return UNANSWERED
    return int(answer.split(b" ", 2)[1])


async def deliver(
    make: Make, waits: Sequence[float], timeout: float, before: Awaitable[object] | None = None
) -> Delivery:
    """Send a webhook until it is taken, waiting about so many seconds after each try."""
    delivery = Delivery()
    if before:
        await before
    for wait in (*waits, 0.0):
        since = monotonic()
        delivery.statuses.append(await post(make(), timeout))
        delivery.seconds.append(monotonic() - since)
        if delivery.is_taken:
            break
        await asyncio.sleep(wait * uniform(0.5, 1.5))
    return delivery


def deliver_all(
    makes: Sequence[Make],
    *,
    per_second: float | None = None,
    waits: Sequence[float] = (),
    timeout: float = 20.0,
) -> list[Delivery]:
    """Deliver webhooks, all at once or so many a second."""

    async def all_of_them() -> list[Delivery]:
        return await asyncio.gather(
            *(
                deliver(make, waits, timeout, asyncio.sleep(number / per_second) if per_second else None)
                for number, make in enumerate(makes)
            )
        )

    return asyncio.run(all_of_them())
