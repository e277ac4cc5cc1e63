"""Which libraries judge, and whether they are new enough to meet hostile files."""

import re
from importlib.metadata import version

import av

from services.verifier.policy import OLDEST, POLICY_VERSION
from shared.errors import UsageError

Release = tuple[int, ...]


def libraries() -> dict[str, str]:
    """Name and version of each library that reads untrusted bytes."""
    return {
        "PyAV": av.__version__,
        "FFmpeg": str(av.ffmpeg_version_info),
        "Pillow": version("pillow"),
        "pypdf": version("pypdf"),
    }


def verifier_version() -> str:
    """The versions of the policy and of the libraries, as recorded with every verdict."""
    return "; ".join([f"policy {POLICY_VERSION}", *(f"{name} {text}" for name, text in libraries().items())])


def refuse_old(found: dict[str, str]) -> None:
    """Raise UsageError naming a library that is older than the policy allows."""
    for name, oldest in OLDEST.items():
        if not new_enough(found[name], oldest):
            wanted = " or ".join(".".join(map(str, release)) for release in oldest)
            raise UsageError(f"{name} {found[name]} has known holes. Install {wanted} or newer.")


def new_enough(text: str, oldest: tuple[Release, ...]) -> bool:
    """Whether a version is at least the oldest allowed of its own series, or of a newer series."""
    numbers = re.match(r"n?(\d+(?:\.\d+)*)", text)
    if numbers is None:
        return False
    found = tuple(int(part) for part in numbers[1].split("."))
    series = [release for release in oldest if release[:2] == found[:2]]
    return found >= (series[0] if series else max(oldest))
