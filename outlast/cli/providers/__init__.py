"""`outlast providers`: what is known of providers, and whether an answer of one is understood."""

from outlast.cli.providers.app import COMMANDS, providers

__all__ = ["COMMANDS", "providers"]
