"""Which instances a participant gets: from the study's seed and the participant's number alone.

Each participant gets as many tasks of each setting, and domains as evenly as their number allows. The tasks
of a setting rotate through the domains, and through the instances of a domain in an order drawn once:
after any number of participants the uses of two domains of a setting, or of two instances of a domain, differ
by at most one.
"""

from collections.abc import Mapping, Sequence

from perennial.schemas.errors import InvalidOption
from perennial.schemas.ids import derive_rng

Cell = tuple[str, str]  # setting and domain


def assign(
    pool: Mapping[Cell, Sequence[str]],
    settings: Sequence[str],
    domains: Sequence[str],
    tasks: int,
    seed: int,
    participant: int,
) -> tuple[str, ...]:
    """Return the instances of a participant, numbered from 0, in the order in which they are played.

    `pool` are the ids of each setting's and domain's instances, in any order.
    """
    each = tasks // len(settings)
    chosen = []
    for number, setting in enumerate(settings):
        for task in range(each):
            # The next setting begins where this one ends, so that a participant meets all domains evenly.
            turn, domain = divmod((participant + number) * each + task, len(domains))
            ids = _draw_order(pool[setting, domains[domain]], seed, setting, domains[domain])
            chosen.append(ids[turn % len(ids)])
    derive_rng(seed, "study/order", participant).shuffle(chosen)
    return tuple(chosen)


def choose_tutorial(pool: Mapping[Cell, Sequence[str]], cell: Cell, seed: int) -> str:
    """Return an instance of the cell for the tutorial."""
    return derive_rng(seed, "study/tutorial", 0).choice(sorted(pool[cell]))


def require_enough(
    pool: Mapping[Cell, Sequence[str]], settings: Sequence[str], domains: Sequence[str], tasks: int
) -> None:
    """Raise InvalidOption where somebody would get the same instance twice."""
    needed = -(-(tasks // len(settings)) // len(domains))
    for setting in settings:
        for domain in domains:
            found = len(pool.get((setting, domain), ()))
            if found < needed:
                raise InvalidOption(
                    f"domain {domain!r} has {found} instances of setting {setting!r} beside the tutorial's, "
                    f"expected at least {needed} for {tasks} tasks per participant: name other domains or "
                    "settings, or fewer tasks"
                )


def _draw_order(ids: Sequence[str], seed: int, setting: str, domain: str) -> list[str]:
    order = sorted(ids)
    derive_rng(seed, f"study/instances/{setting}/{domain}", 0).shuffle(order)
    return order
