"""Damaged files by the thousand through the real probe: none breaks it, and what it accepts another reader decodes."""
