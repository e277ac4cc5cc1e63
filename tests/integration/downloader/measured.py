"""A program: one transfer from a URL on loopback into nothing; prints its bytes and the peak of memory in KiB.

A second argument is the path of the base64 in its answer.
"""

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

from services.downloader.clocks import Clocks
from services.downloader.order import Endpoint
from services.downloader.transfer import Limits, Order, transfer
from shared.egress import Policy
from tests.faults.sinks import CountingSink

url, inside = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
clock = Clocks(lambda: datetime.now(UTC)).of("127.0.0.1")
order = Order(
    url, None, None, datetime.now(UTC), 2**40, None, None, monotonic() + 120, clock, endpoint=Endpoint(base64=inside)
)
policy = Policy(http=True, allow=frozenset({("127.0.0.1", urlsplit(url).port or 80)}))
received = transfer(order, CountingSink(), policy, Limits(), progress=lambda count: None, seconds_to_stop=lambda: None)
# Not getrusage: its peak begins with what the process that started this one had.
peak = re.search(r"VmHWM:\s+([0-9]+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
print(received.size, peak[1] if peak else "unknown")
