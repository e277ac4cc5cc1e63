"""Providers' jobs: when each is asked for next, and where its record is."""

from shared.db.migrations import run_sql_file

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the table, its view and their grants."""
    run_sql_file("0008_jobs.sql")
