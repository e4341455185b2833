"""Table `scale`: the players of all editions of a benchmark and setting on one scale, as rows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from perennial.schemas.statistics.variance import MeasuredVariance
from perennial.tasks.statistics.multiplicity import holm
from perennial.tasks.statistics.scale.cells import Cell, components, observe
from perennial.tasks.statistics.scale.edition_shifts import EditionShifts
from perennial.tasks.statistics.scale.joint_model import (
    Estimate,
    JointModel,
    describe_method,
    fit_joint_model,
)
from perennial.tasks.statistics.scale.slopes import find_slopes

RATE, IN_EDITION, SHIFT, DIFFERENCE = "rate", "rate_in_edition", "shift_of_edition", "difference"
MET, LINKED, POPULATION = "same edition", "shared players or domains", "population of domains"
_DIGITS = 12  # beyond these a figure differs with the order of adding
_SEPARATOR = "\0"


class Player(NamedTuple):
    """A player, with an id of parameters and protocol where a model was asked with several; else ""."""

    name: str
    protocol_id: str = ""

    @property
    def key(self) -> str:
        """One text that stands for both."""
        return f"{self.name}{_SEPARATOR}{self.protocol_id}"


def player_of(key: str) -> Player:
    """Return the player that `Player.key` stands for."""
    return Player(*key.split(_SEPARATOR))


def scale_rows(
    benchmark: str, setting: str, cells: Sequence[Cell], variance: MeasuredVariance
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one benchmark and setting; the cells' players are keys of `Player`.

    Settings and benchmarks are never pooled: each has a scale of its own.
    """
    seen = observe(cells, variance.parts)
    if not seen.players:
        return
    model = fit_joint_model(seen)
    domains, editions = _count(cells, 1), _count(cells, 0)
    base = {"benchmark": benchmark, "setting": setting, "method": describe_method(variance.source)}
    slopes = find_slopes(model)
    tested = holm([slopes[key].p_value if key in slopes else None for key in seen.players])
    for key, p_value in zip(seen.players, tested, strict=True):
        slope = slopes.get(key)
        found = {
            "domains": len(domains[key]),
            "editions": len(editions[key]),
            "discrimination": None if slope is None else _digits(slope.value),
            "discrimination_se": None if slope is None else _digits(slope.error),
            "discrimination_p_holm": None if p_value is None else _digits(p_value),
        }
        yield base | _row(RATE, player_of(key), model.rate(key), **found)
    met: dict[tuple[str, str], set[str]] = {}
    for cell in cells:
        for who in (cell.player, ""):
            met.setdefault((cell.edition, who), set()).add(cell.domain)
    for edition in seen.editions if len(seen.editions) > 1 else ():
        shifts = EditionShifts(model, edition)
        for key in seen.players:
            alone = shifts.rate(key)
            if alone is not None:
                number = len(met[edition, key])
                yield base | _row(
                    IN_EDITION, player_of(key), alone, other=edition, domains=number, editions=1
                )
        number = len(met[edition, ""])
        yield base | _row(SHIFT, Player(""), shifts.shift(), other=edition, domains=number, editions=1)
    yield from (base | row for row in _differences(model, domains, editions))


def _differences(
    model: JointModel, domains: Mapping[str, set[str]], editions: Mapping[str, set[str]]
) -> Iterator[dict[str, Any]]:
    sets = list(components(model.seen))
    place = {edition: number for number, one in enumerate(sets) for edition in one}
    for one, two in combinations(model.seen.players, 2):
        if editions[one] & editions[two]:
            link = MET
        else:
            joined = {place[edition] for edition in editions[one]} & {
                place[edition] for edition in editions[two]
            }
            link = LINKED if joined else POPULATION
        counts = {
            "domains": len(domains[one] | domains[two]),
            "editions": len(editions[one] | editions[two]),
        }
        other = player_of(two)
        found = model.difference(one, two)
        yield _row(
            DIFFERENCE,
            player_of(one),
            found,
            other=other.name,
            other_protocol_id=other.protocol_id,
            link=link,
            **counts,
        )


def _row(statistic: str, player: Player, estimate: Estimate, **more: Any) -> dict[str, Any]:
    numbers = {
        "value": estimate.value,
        "standard_error": estimate.error,
        "low": estimate.low,
        "high": estimate.high,
    }
    return {
        "statistic": statistic,
        "player": player.name,
        "protocol_id": player.protocol_id,
        "other": "",
        "other_protocol_id": "",
        "link": "",
        "discrimination": None,
        "discrimination_se": None,
        "discrimination_p_holm": None,
        **{name: _digits(number) for name, number in numbers.items()},
        **more,
    }


def _count(cells: Sequence[Cell], column: int) -> dict[str, set[str]]:
    """Return, by player, the different values of a column of its cells: 0 is the edition, 1 the domain."""
    found: dict[str, set[str]] = {}
    for cell in cells:
        if cell.instances > 0:
            found.setdefault(cell.player, set()).add(str(cell[column]))
    return found


def _digits(value: float) -> float:
    return round(value, _DIGITS)
