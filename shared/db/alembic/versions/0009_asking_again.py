"""The edge by which an operator has a job asked for again, and the grants for it."""

from shared.db.migrations import run_sql_file

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add them."""
    run_sql_file("0009_asking_again.sql")
