"""Many tests at once: p-values corrected so that the chance of any false finding stays bounded."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from perennial.schemas.people import is_person
from perennial.schemas.statistics import CHECKPOINTS, CONTROLS, MODELS, PEOPLE, PROGRAMS, Population
from perennial.tasks.training import PREFIX

# One computed figure, as table `statistics` keeps it.


class Statistic(NamedTuple):
    """A figure with what it is of, what it rests on, and how it was computed.

    `n` counts what `method` says; None means undefined, in `value`, interval and p-values alike. `population`
    is what the interval is of, `no_interval` why an estimate has none; `family` the tests of its setting over
    which `p_adjusted` is corrected.
    """

    statistic: str
    setting: str
    domain: str
    player: str
    n: int
    value: float | None
    method: str
    convention: str = "any"
    other: str = ""
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    family: str | None = None
    population: Population | None = None
    no_interval: str | None = None


Kind = Callable[[str], str]


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values, in the order given.

    With m values sorted upwards, the i-th (from 0) becomes the largest of min(1, (m - j) p_j) over j <= i;
    equal values stay equal. Rejecting those at or below alpha bounds the chance of any false rejection by
    alpha, whatever the dependence of the tests. Source: Holm 1979, A Simple Sequentially Rejective Multiple
    Test Procedure. None, a test that was not defined, stays None and does not count in m.
    """
    defined = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(defined):
        largest = max(largest, min(1.0, (len(defined) - rank) * p))
        adjusted[i] = largest
    return adjusted


def kind_by_name(programs: Collection[str], variants: Collection[str] = ()) -> Kind:
    """Return the function that tells a player's kind: models, programs, people, controls or checkpoints.

    Training checkpoints are named `sft/TRAINING-STEP`. A control is a model that is asked in one of the
    `variants`, by its name `VARIANT:MODEL`.
    """

    def kind(player: str) -> str:
        if player in programs:
            return PROGRAMS
        if is_person(player):
            return PEOPLE
        if player.startswith(tuple(f"{variant}:" for variant in variants)):
            return CONTROLS
        return CHECKPOINTS if player.startswith(PREFIX) else MODELS

    return kind


def adjust_by_family(figures: Iterable[Statistic], statistic: str, kind: Kind) -> list[Statistic]:
    """Return the figures with Holm's adjusted p-values for each family of tests of the statistic.

    A family is what a reader asks at once: one setting, and one kind of player, or for two players that are
    compared one pair of kinds. Programs, people, controls and training checkpoints are no part of the family
    of models: a control is a model once more, so that it would count twice.
    """
    listed = list(figures)
    families: dict[tuple[str, str], list[int]] = defaultdict(list)
    for i, figure in enumerate(listed):
        if figure.statistic == statistic:
            players = {figure.player, figure.other} - {""}
            families[figure.setting, " and ".join(sorted({kind(player) for player in players}))].append(i)
    for (_, family), members in families.items():
        for i, p in zip(members, holm([listed[i].p_value for i in members]), strict=True):
            method = f"{listed[i].method}; Holm over {family} of the setting"
            listed[i] = listed[i]._replace(p_adjusted=p, family=family, method=method)
    return listed
