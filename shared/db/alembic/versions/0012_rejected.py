"""Refused bytes with their lifetime, and what a later release says of stored assets."""

from shared.db.migrations import run_sql_file

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add them."""
    run_sql_file("0012_rejected.sql")
