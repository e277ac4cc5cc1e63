"""An exception as it is shown: its chain of types and redacted messages, and where each was raised."""

import traceback
from collections import deque
from collections.abc import Iterator

from shared.redaction import redact

MAX_CHAIN = 8
MAX_FRAMES = 24


def describe(error: BaseException) -> list[dict[str, object]]:
    """One entry per exception of the chain, the outermost first, at most MAX_CHAIN.

    An entry has `error` and `stack`; a frame is `file:line function`, the innermost last, with neither local
    values nor source lines.
    """
    return [{"error": redact(link), "stack": _stack(link)} for link in _chain(error)]


def _chain(error: BaseException) -> Iterator[BaseException]:
    waiting = deque([error])
    seen: set[int] = set()
    while waiting and len(seen) < MAX_CHAIN:
        link = waiting.popleft()
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        behind = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
        members = link.exceptions if isinstance(link, BaseExceptionGroup) else ()
        waiting.extend(member for member in (*members, behind) if member is not None)


def _stack(error: BaseException) -> list[str]:
    frames = [
        f"{frame.f_code.co_filename}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return frames[-MAX_FRAMES:]
