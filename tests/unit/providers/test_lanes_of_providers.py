"""Which lane a source belongs to, and which caps hold there."""

from pathlib import Path

import pytest

from shared.errors import UsageError
from shared.lanes import provider_of
from shared.providers import Registry


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    (tmp_path / "acme.toml").write_text('name = "acme"\nhosts = ["cdn.example", ".wide.example"]\ncaps.transfers = 3\n')
    (tmp_path / "free.toml").write_text('name = "free"\n')
    return Registry.load(tmp_path)


def test_a_listed_host_has_a_lane_of_its_own(registry: Registry) -> None:
    assert registry.lane("acme", "cdn.example") == "acme/cdn.example"


@pytest.mark.parametrize("host", ["a.wide.example", "elsewhere.example", ""])
def test_all_other_hosts_of_a_known_provider_share_a_lane_of_that_provider(registry: Registry, host: str) -> None:
    assert registry.lane("acme", host) == "acme/*"
    assert registry.lane("free", host) == "free/*"


@pytest.mark.parametrize("provider", ["unheard-of", "generic"])
def test_hosts_of_unknown_providers_share_a_few_lanes(registry: Registry, provider: str) -> None:
    lanes = {registry.lane(provider, f"host-{number}.example") for number in range(1000)}
    assert len(lanes) == 32
    assert {provider_of(lane) for lane in lanes} == {"other"}
    assert registry.lane("unheard-of", "cdn.example") == registry.lane("never-seen", "cdn.example")


def test_a_cap_is_told_by_what_stands_for_the_provider_in_its_lanes(registry: Registry) -> None:
    assert registry.caps() == {"acme": 3}


def test_a_cap_of_the_generic_entry_holds_for_all_unknown_providers(tmp_path: Path) -> None:
    (tmp_path / "generic.toml").write_text('name = "generic"\ncaps.transfers = 2\n')
    registry = Registry.load(tmp_path)
    assert registry.caps() == {provider_of(registry.lane("unheard-of", "cdn.example")): 2}


@pytest.mark.parametrize("text", ['name = "acme"\ncaps.transfers = 0\n', 'name = "other"\n'])
def test_a_cap_of_nothing_and_the_name_of_the_shared_lanes_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "acme.toml").write_text(text)
    with pytest.raises(UsageError, match=r"acme\.toml is wrong"):
        Registry.load(tmp_path)
