"""Where the stacks of a checkout lie, as seen from its root."""

from pathlib import Path

STACK = Path(".local/stack")
"""That of `make up`."""
DEMO = Path(".local/demo")
"""That of `make demo`."""
