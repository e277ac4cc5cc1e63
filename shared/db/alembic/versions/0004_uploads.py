"""Multipart uploads of claims."""

from shared.db.migrations import run_sql_file

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column and its grant."""
    run_sql_file("0004_uploads.sql")
