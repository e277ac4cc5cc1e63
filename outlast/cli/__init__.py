"""The outlast command."""

from outlast.cli.app import main

__all__ = ["main"]
