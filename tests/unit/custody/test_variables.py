"""A re-verification is bounded as the verifier is, by the same variables with the same defaults."""

import pytest

from outlast.custody.variables import ProbeVariables
from shared.errors import UsageError
from shared.settings import Settings


@pytest.mark.parametrize("name", ProbeVariables.model_fields)
def test_each_has_the_type_and_the_default_of_the_verifier_s_setting(name: str) -> None:
    ours, theirs = ProbeVariables.model_fields[name], Settings.model_fields[name]
    assert ours.default == theirs.default
    assert ours.annotation == theirs.annotation


def test_a_wrong_value_is_told_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTLAST_ACCEPT_UNDECODED", "heic, jxl")
    assert ProbeVariables.read().accept_undecoded == ("heic", "jxl")
    monkeypatch.setenv("OUTLAST_ACCEPT_UNDECODED", "tiff")
    with pytest.raises(UsageError, match="OUTLAST_ACCEPT_UNDECODED"):
        ProbeVariables.read()
