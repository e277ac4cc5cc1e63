"""The ledger of processors."""

from shared.db.migrations import run_sql_file

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create the ledger and its grants."""
    run_sql_file("0006_processing.sql")
