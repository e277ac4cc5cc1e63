"""Claims beside an account that holds its share."""

from shared.db.migrations import run_sql_file

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the index of claimable rows by account."""
    run_sql_file("0002_accounts.sql")
