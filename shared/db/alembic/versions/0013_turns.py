"""Tries that took long lose their place in the order."""

from shared.db.migrations import run_sql_file

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add it."""
    run_sql_file("0013_turns.sql")
