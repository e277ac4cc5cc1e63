"""What a claim must leave alone, judged by what its process holds: full lanes and providers, and crowded accounts."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

SHARED = "other"
"""What stands in place of a provider in the lanes of hosts whose provider is unknown: `other/07`."""
UNLISTED = "*"
"""What stands in place of a host in the lane of all hosts that a known provider's entry does not list."""
ANYWHERE = ""
"""In place of a lane: the whole process."""


class Held(NamedTuple):
    """The place that one held task takes up."""

    lane: str
    account: str


@dataclass(frozen=True)
class Barred:
    """What a claim passes over: `lanes` and `providers` in any case, the `crowded` accounts while another waits.

    `crowded_there` holds `account@lane`: within that lane, and only there, the account comes after all others.
    """

    lanes: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    crowded: tuple[str, ...] = ()
    crowded_there: tuple[str, ...] = ()


NOTHING = Barred()


@dataclass(frozen=True)
class Budget:
    """How many tasks a process works on at once: `slots` in all, of these so many per lane, and of some providers.

    An account takes more than half of the slots, or of a lane's places, only while no other account waits for them.
    """

    slots: int
    per_lane: int
    per_provider: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_downloads(cls, slots: int, per_lane: int | None, per_provider: Mapping[str, int]) -> "Budget":
        """Without a wish for `per_lane` one lane gets half of the slots, so that a slow host leaves room for others."""
        return cls(slots, per_lane or max(1, slots // 2), per_provider)

    def barred(
        self,
        held: Collection[Held],
        served: Mapping[str, str],
        closed: Collection[str] = (),
        on_trial: Collection[str] = (),
    ) -> Barred:
        """What the next claim passes over.

        `served` names the account served last, by lane and under ANYWHERE; `closed` lanes let nobody through, and
        those `on_trial` one task at a time.
        """
        lanes = Counter(place.lane for place in held)
        providers = Counter(provider_of(place.lane) for place in held)
        full = [lane for lane, count in lanes.items() if count >= self.per_lane]
        return Barred(
            tuple({*full, *closed}),
            tuple(name for name, most in self.per_provider.items() if providers[name] >= most),
            tuple(_holders_of_half(self.slots, [place.account for place in held], served.get(ANYWHERE))),
            tuple(self._crowded_there(held, served, on_trial)),
        )

    def _crowded_there(
        self, held: Collection[Held], served: Mapping[str, str], on_trial: Collection[str]
    ) -> Iterator[str]:
        for lane, last in served.items():
            places = 1 if lane in on_trial else self.per_lane
            accounts = [place.account for place in held if place.lane == lane]
            if lane != ANYWHERE:
                yield from (f"{account}@{lane}" for account in _holders_of_half(places, accounts, last))


def _holders_of_half(places: int, accounts: Collection[str], last: str | None) -> list[str]:
    """The accounts that hold half of the places; a single place has no half, so whoever had it last counts."""
    if places == 1:
        return [last] if last else []
    return [account for account, count in Counter(accounts).items() if count >= places // 2]


def provider_of(lane: str) -> str:
    """The provider whose lane it is; `other` for one of hosts whose provider is unknown."""
    return lane.partition("/")[0]


def is_of_one_host(lane: str) -> bool:
    """Whether all tasks of the lane come from the same host."""
    provider, _, host = lane.partition("/")
    return provider != SHARED and host not in (UNLISTED, "")
