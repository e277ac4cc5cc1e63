"""The type that a source declared, and the kinds text and other."""

from shared.db.migrations import run_sql_file

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add them."""
    run_sql_file("0010_declared_type.sql")
