"""The tests of Outlast."""
