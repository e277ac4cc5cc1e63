"""Programs to copy: what others build beside Outlast."""
