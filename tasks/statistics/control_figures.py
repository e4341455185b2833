"""What a model owes to what it is shown: it and itself as a control, on the same instances.

A control is the model asked in another variant, such as without a book, under the name `VARIANT:MODEL`.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tasks.statistics.cells import Grid
from tasks.statistics.figure import Figure
from tasks.statistics.intervals import METHOD, intervals_of_sums
from tasks.statistics.rate_figures import rates_in_units

if TYPE_CHECKING:
    from tasks.statistics.cells import Numbers

_METHOD = (
    f"mean difference, MODEL minus VARIANT:MODEL, over instances that both have; {METHOD}; n counts instances"
)


def control_figures(grid: Grid, variants: Sequence[str], seed: int) -> Iterator[Figure]:
    """Yield `control_gap` of each model that has a control in the setting: in all domains, and in each.

    `other` is the control, `convention` its variant. The gap is that of success rates, in -1..1; what is left
    of the model's rate is what the control reaches.
    """
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    rates, seen = rates.reshape(grid.runs.shape), grid.runs > 0
    found: list[tuple[str, str, str, str, Numbers]] = []
    for variant, model, control in _controls(grid.players, variants):
        one, other = grid.players.index(model), grid.players.index(control)
        shared = seen[one] & seen[other]
        gap = rates[one] - rates[other]
        for domain, columns in grid.places():
            if shared[columns].any():
                found.append((domain, model, control, variant, gap[columns][shared[columns]]))
    intervals = intervals_of_sums([(gap, np.ones(len(gap))) for *_, gap in found], seed)
    for (domain, model, control, variant, gap), interval in zip(found, intervals, strict=True):
        low, high = interval or (None, None)
        yield Figure(
            "control_gap",
            *(grid.setting, domain, model, len(gap), float(gap.sum()) / (unit * len(gap)), _METHOD, variant),
            other=control,
            low=None if low is None else low / unit,
            high=None if high is None else high / unit,
        )


def _controls(players: Sequence[str], variants: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield variant, model and control wherever both play."""
    for variant in variants:
        for control in players:
            model = control.removeprefix(f"{variant}:")
            if model != control and model in players:
                yield variant, model, control
