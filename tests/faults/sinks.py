"""Upload targets in memory, for tests of what is written to them and when they are aborted."""

from hashlib import sha256

from shared.objects import Uploaded


class MemorySink:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.completed = False
        self.aborts = 0
        self.largest_write = 0

    def write(self, data: bytes | memoryview, /) -> None:
        """Keep bytes."""
        self.largest_write = max(self.largest_write, len(data))
        self.data += data

    def complete(self) -> Uploaded:
        """Note the completion."""
        self.completed = True
        return Uploaded(len(self.data), sha256(self.data).hexdigest(), "v1")

    def abort(self) -> None:
        """Note the abort."""
        self.aborts += 1


class CountingSink(MemorySink):
    """Counts what is written, and keeps nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def write(self, data: bytes | memoryview, /) -> None:
        """Count bytes."""
        self.size += len(data)
