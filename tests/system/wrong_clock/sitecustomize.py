"""Gives every Python process that has this folder on its path a machine whose clock is wrong.

`TEST_CLOCK_AHEAD` says by how many seconds it is ahead. Only the client of the object store is told the true time, as
every store refuses requests that are dated much wrong.
"""

import datetime as module
import os
import sys
import time
from datetime import datetime as right

AHEAD = float(os.environ.get("TEST_CLOCK_AHEAD", "0"))
_time = time.time


class _Kind(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, right)


class _WrongDatetime(right, metaclass=_Kind):
    @classmethod
    def now(cls, tz: module.tzinfo | None = None) -> right:  # type: ignore[override]
        asks = str(sys._getframe(1).f_globals.get("__name__"))
        return right.now(tz) + module.timedelta(seconds=0 if asks.startswith("minio") else AHEAD)


module.datetime = _WrongDatetime  # type: ignore[misc]
time.time = lambda: _time() + AHEAD
