"""`from outlast import ...` gives every public name, loads no more than it needs, and never a module for a function."""

import subprocess
import sys

import pytest

import outlast

HEAVY = ("pika", "psycopg", "minio", "av", "PIL", "alembic", "kombu")


def printed(program: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("name", outlast.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(outlast, name).__name__ == name


def test_the_names_that_are_told_and_loaded_are_the_same() -> None:
    assert sorted(outlast._HOME_OF) == outlast.__all__


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="nothing_like_that"):
        outlast.nothing_like_that  # noqa: B018


@pytest.mark.parametrize(
    ("program", "loaded"),
    [
        ("import outlast", []),
        ("from outlast import Asset, open_verified, ProcessingLedger, Finished", []),
        ("from outlast import publish", ["kombu"]),
    ],
)
def test_only_what_is_needed_is_loaded(program: str, loaded: list[str]) -> None:
    assert printed(f"{program}; import sys; print([name for name in {HEAVY} if name in sys.modules])") == str(loaded)


@pytest.mark.parametrize(
    "before", ["", "import outlast.publish", "from outlast.publish import Producer", "from outlast import publish"]
)
def test_publish_is_the_function_whatever_was_loaded_before(before: str) -> None:
    assert printed(f"{before}\nfrom outlast import publish\nprint(type(publish).__name__)") == "function"
