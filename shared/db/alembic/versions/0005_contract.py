"""What further events bring."""

from shared.db.migrations import run_sql_file

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add provenance, placeholders and objects as sources."""
    run_sql_file("0005_contract.sql")
