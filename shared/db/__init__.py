"""Postgres: the pool, the acts and reads as SQL files, roles and migrations. The only place that knows psycopg."""

from shared.db.database import Database

__all__ = ["Database"]
