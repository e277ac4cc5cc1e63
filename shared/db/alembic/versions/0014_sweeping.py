"""What the sweeper deletes, and the rule by which staged bytes may go."""

from shared.db.migrations import run_sql_file

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the log, the rule and the rights."""
    run_sql_file("0014_sweeping.sql")
