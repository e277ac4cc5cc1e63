"""A database with stories, and the command that reads them."""

import pytest

from tests.conftest import TestDatabase
from tests.integration.db.conftest import accept, as_role
from tests.integration.reading.commands import Reader

__all__ = ["accept", "as_role"]


@pytest.fixture
def reader(database: TestDatabase) -> Reader:
    return Reader(database)
