"""One demonstration at a time in a folder."""

from pathlib import Path

import pytest

from deploy.local.demo.stack import alone
from shared.errors import UsageError


def test_a_second_demonstration_in_the_same_folder_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(UsageError, match="A demo is running here"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass
