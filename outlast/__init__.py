"""The public face of Outlast: publish outputs, follow tasks, read assets, process them once."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.asset import Asset, NotAnAsset, Reference
    from outlast.batch import publish_all
    from outlast.ledger import ProcessingLedger, UnknownAsset
    from outlast.outcome import Finished, Outcome, RunningElsewhere
    from outlast.publish import Producer, PublishError, intake_event, output_ready, publish
    from outlast.reading import (
        DigestMismatch,
        NotVerified,
        ObjectMissing,
        ObjectTooLarge,
        SizeMismatch,
        VerifiedReader,
        copy_verified,
        open_verified,
    )
    from outlast.result import Result
    from outlast.run import Run
    from outlast.submit import Input, submit
    from outlast.trouble import Unavailable
    from shared.errors import LeaseLost, UsageError

__all__ = [
    "Asset",
    "DigestMismatch",
    "Finished",
    "Input",
    "LeaseLost",
    "NotAnAsset",
    "NotVerified",
    "ObjectMissing",
    "ObjectTooLarge",
    "Outcome",
    "ProcessingLedger",
    "Producer",
    "PublishError",
    "Reference",
    "Result",
    "Run",
    "RunningElsewhere",
    "SizeMismatch",
    "Unavailable",
    "UnknownAsset",
    "UsageError",
    "VerifiedReader",
    "copy_verified",
    "intake_event",
    "open_verified",
    "output_ready",
    "publish",
    "publish_all",
    "submit",
]

_HOMES = {
    "outlast.asset": ("Asset", "NotAnAsset", "Reference"),
    "outlast.batch": ("publish_all",),
    "outlast.ledger": ("ProcessingLedger", "UnknownAsset"),
    "outlast.outcome": ("Finished", "Outcome", "RunningElsewhere"),
    "outlast.publish": ("Producer", "PublishError", "intake_event", "output_ready", "publish"),
    "outlast.reading": (
        "DigestMismatch",
        "NotVerified",
        "ObjectMissing",
        "ObjectTooLarge",
        "SizeMismatch",
        "VerifiedReader",
        "copy_verified",
        "open_verified",
    ),
    "outlast.result": ("Result",),
    "outlast.run": ("Run",),
    "outlast.submit": ("Input", "submit"),
    "outlast.trouble": ("Unavailable",),
    "shared.errors": ("LeaseLost", "UsageError"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


class _Package(ModuleType):
    """This package, in which `publish` is always the function and never the module that it comes from."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that each user loads only what it needs."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'outlast' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


sys.modules[__name__].__class__ = _Package
