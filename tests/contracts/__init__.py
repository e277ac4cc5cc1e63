"""The contract with those around Outlast."""
