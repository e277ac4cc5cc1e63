"""The sweeper: deletes what nobody needs any more, and tells of what nobody owns."""

from outlast.custody.sweep.ground import Fate, Found, Ground, Step, present
from outlast.custody.sweep.run import sweep
from outlast.custody.sweep.tally import Tally

__all__ = ["Fate", "Found", "Ground", "Step", "Tally", "present", "sweep"]
