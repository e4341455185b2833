"""Sparse configurations: most rules of a configuration are dropped, so that its truths form communities.

The truths are dealt to K communities, and each action has one of them as its home, all equally often. An
action keeps what it says about the truths of its home, and about each other truth with probability B. About
the rest it knows nothing, as about a truth whose cell is empty. So facts are dropped, and none is invented.
Each truth keeps one action that can rule it out, and each action one truth.

The KUMO authors' domains are of this kind: the median share of pairs of truths that one action can rule out
is .44, where in our dense domains and worlds it is nearly 1.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import derive_rng, derive_seed
from perennial.schemas.kumo.things import Outcome, SeedConfig

MOST_COMMUNITIES = 20
DENSE = "dense"
MIXED = "mixed"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Sparsity:
    """The number of communities, and how often an action keeps what it says about truths elsewhere."""

    communities: int
    elsewhere: float

    def __str__(self) -> str:
        """Return the form in which options give it: `8,0.1`."""
        return f"{self.communities},{self.elsewhere:g}"

    @classmethod
    def parse(cls, text: str) -> "Sparsity":
        """Return what `8,0.1` says; raise InvalidOption for anything else."""
        parts = text.split(",")
        try:
            communities, elsewhere = int(parts[0]), float(parts[1])
        except (ValueError, IndexError):
            communities, elsewhere = 0, 0.0
        if len(parts) != 2 or not 2 <= communities <= MOST_COMMUNITIES or not 0 <= elsewhere < 1:
            raise InvalidOption(
                f"--sparse {text!r}: expected K,B such as 8,0.1: K communities of truths, 2 to "
                f"{MOST_COMMUNITIES}, and the probability B, 0 or more and below 1, that an action keeps "
                f"what it says about a truth of another community (or {MIXED} or {DENSE}, for drawn worlds)"
            )
        return cls(communities, elsewhere)


# What worlds of `mixed` draw from, None: dense. Together they span the middle half of the released domains in
# density and modularity, at hardly more time of search than dense ones: few large communities cost far more
# (docs/domains.md).
SPARSITIES = (None, None, Sparsity(10, 0.05), Sparsity(12, 0.05), Sparsity(12, 0.08))


def check_sparse(text: str) -> None:
    """Raise InvalidOption where the text is no sparsity, nor empty, nor `mixed` or `dense`."""
    if text not in ("", MIXED, DENSE):
        Sparsity.parse(text)


def choose_sparsity(text: str, seed: int, index: int) -> Sparsity | None:
    """Return the sparsity that the text says, None for a dense configuration.

    Of `mixed` all take turns, in an order that is drawn for each round.
    """
    if text == MIXED:
        order = list(SPARSITIES)
        derive_rng(seed, "order of sparsities", index // len(order)).shuffle(order)
        return order[index % len(order)]
    return None if text in ("", DENSE) else Sparsity.parse(text)


def make_sparse(config: SeedConfig, text: str) -> SeedConfig:
    """Return the configuration made sparse, a function of the two alone, under a name that says so."""
    sparsity = choose_sparsity(text, derive_seed(0, config.config_id, 0), 0)
    if sparsity is None:
        return config
    rng = derive_rng(0, f"sparse {sparsity} {config.config_id}", 0)
    return replace(drop_rules(config, sparsity, rng), name=f"{config.name} (sparse {sparsity})")


def drop_rules(config: SeedConfig, sparsity: Sparsity, rng: random.Random) -> SeedConfig:
    """Return the configuration with the rules that are kept, drawn by `rng`."""
    truths = list(dict.fromkeys(config.truths))
    community = _deal(truths, sparsity.communities, rng)
    home = _deal(range(len(config.outcomes)), sparsity.communities, rng)
    known = [_known(outcome, truths) for outcome in config.outcomes]
    kept = [
        {
            truth
            for truth in known[action]
            if (rng.random() < sparsity.elsewhere) | (community[truth] == home[action])
        }
        for action in range(len(config.outcomes))
    ]
    for truth in truths:
        speaking = [action for action, of_action in enumerate(known) if truth in of_action]
        if speaking and not any(truth in of_action for of_action in kept):
            kept[rng.choice(speaking)].add(truth)
    for of_action, all_of_action in zip(kept, known, strict=True):
        if all_of_action and not of_action:
            of_action.add(rng.choice(all_of_action))
    outcomes = zip(config.outcomes, kept, strict=True)
    return replace(config, outcomes=tuple(_keep(outcome, truths_kept) for outcome, truths_kept in outcomes))


def _deal(items: Iterable[Item], number: int, rng: random.Random) -> dict[Item, int]:
    """Return the part of each item: so many parts of equal size, dealt at random."""
    listed = list(items)
    rng.shuffle(listed)
    return {item: place % number for place, item in enumerate(listed)}


def _known(outcome: Outcome, truths: list[str]) -> list[str]:
    """Return the truths that some state of the outcome rules out, in the configuration's order."""
    ruled_out = {truth for state in outcome.states for truth in state.rules_out}
    return [truth for truth in truths if truth in ruled_out]


def _keep(outcome: Outcome, kept: set[str]) -> Outcome:
    states = tuple(
        replace(state, rules_out=tuple(truth for truth in state.rules_out if truth in kept))
        for state in outcome.states
    )
    # A cell says more than the rules: where a truth's number lies.
    cells = tuple(cell for cell in outcome.cells if cell[0] in kept)
    return replace(outcome, states=states, cells=cells)
