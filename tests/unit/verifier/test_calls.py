"""The list of system calls needs libseccomp, and says so where it is missing."""

import ctypes.util
import sys

import pytest

from services.verifier.probe.calls import load_library
from shared.errors import UsageError


def test_a_machine_without_libseccomp_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = ctypes.util.find_library
    monkeypatch.delitem(sys.modules, "pyseccomp", raising=False)
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None if name == "seccomp" else find(name))
    with pytest.raises(UsageError, match="Install libseccomp2"):
        load_library()
