"""What readers may see of a task's story, and the orders in which tasks are listed."""

from shared.db.migrations import run_sql_file

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the indexes, the views and their grants."""
    run_sql_file("0007_views.sql")
