"""Names of providers in figures are bounded."""

from shared.providers import Registry


def test_fr71_every_provider_without_an_entry_is_counted_as_one() -> None:
    registry = Registry.load()
    assert registry.counted_as("generic") == "generic"
    assert {registry.counted_as(f"provider-{number}") for number in range(10_000)} == {"other"}
