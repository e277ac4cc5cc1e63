"""The front door: records what producers and providers report, and makes tasks of it."""
