"""`outlast rejected`: the bytes that were refused, for as long as they stay."""

from outlast.cli.rejected.app import rejected

__all__ = ["rejected"]
