"""Drill: a burst of webhooks to a real ingest whose database is far away. OUTLAST_DRILLS=full runs it at full size."""

import json
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.faults.canary import CANARY
from tests.faults.sender import Delivery, Post, deliver_all
from tests.faults.way import Way
from tests.system.conftest import System, no_log_tells_a_link, source, sweep, system, until, unswept
from tests.system.hooks import Hooks, hooks_of

__all__ = ["no_log_tells_a_link", "source", "sweep", "system", "unswept"]
