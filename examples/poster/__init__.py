"""A processor of captured videos: `python -m examples.poster --help`."""
