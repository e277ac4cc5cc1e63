"""Every test here also watches that nothing tells its link."""

from tests.faults.ears import nothing_is_logged

__all__ = ["nothing_is_logged"]
