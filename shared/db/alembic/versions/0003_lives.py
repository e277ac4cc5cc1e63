"""Lives of links seen lately, and tasks at risk."""

from shared.db.migrations import run_sql_file

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the counts and both functions, and show the mark in the public view."""
    run_sql_file("0003_lives.sql")
