"""The first schema."""

from shared.db.migrations import run_sql_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table, the edges and their trigger, and the grants."""
    run_sql_file("0001_first.sql")
