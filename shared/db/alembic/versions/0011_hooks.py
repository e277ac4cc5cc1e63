"""Flags of outputs, and what an operator does with one that is held for review."""

from shared.db.migrations import run_sql_file

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add them."""
    run_sql_file("0011_hooks.sql")
