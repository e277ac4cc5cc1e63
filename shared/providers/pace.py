"""How often a provider is asked about a job."""

import random

from shared.providers.entry import Poll, Provider

SPREAD = 0.2
"""Share by which a wait is shorter or longer by chance, so that jobs which began together part."""
AGE_SHARE = 0.1
"""A job that has taken long takes longer: the next question comes after this share of its age."""
MOST_TROUBLE_SECONDS = 300.0
"""The most between two questions while a provider does not answer, or refuses our key."""
LONGEST_SECONDS = 3600.0
"""The longest that a job is left alone, and ..."""
LIFE_SHARE = 0.5
"""... the share of the life of its provider's links: of one that is there in the meantime, enough must be left."""


def spread(seconds: float) -> float:
    """A wait of about so many seconds."""
    return seconds * random.uniform(1 - SPREAD, 1 + SPREAD)  # noqa: S311 (spreads load, hides nothing)


def patience(provider: Provider) -> float:
    """The longest that a job is left alone, in seconds, whatever its provider wishes."""
    life = provider.life.url or provider.life.record
    return min(LONGEST_SECONDS, LIFE_SHARE * life) if life else LONGEST_SECONDS


def next_question(
    poll: Poll, age_seconds: float, *, troubles: int = 0, wish: float = 0.0, patience: float = LONGEST_SECONDS
) -> float:
    """Seconds until a job of this age is asked for again.

    `troubles` counts the questions in a row that brought no word; `wish` is how long the provider asked to wait, which
    is kept as far as `patience` goes.
    """
    usual = min(max(poll.every_seconds, age_seconds * AGE_SHARE), poll.most_seconds)
    most = max(usual, min(MOST_TROUBLE_SECONDS, patience))
    backed_off = min(usual * 2.0 ** min(troubles, 16), most)
    return max(spread(backed_off), min(wish, patience) * random.uniform(1, 1 + SPREAD))  # noqa: S311 (as above)
