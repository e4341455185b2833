"""What a model owes to what it is shown: it and itself as a control, on the same instances.

A control is the model asked in another variant, such as without a book, under the name `VARIANT:MODEL`.
"""

from collections.abc import Iterator, Sequence

from perennial.tasks.statistics.cells import Grid
from perennial.tasks.statistics.cluster_intervals import GAP_METHOD
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units
from perennial.tasks.statistics.populations import bound_gap

_METHOD = (
    "mean difference, MODEL minus VARIANT:MODEL, over instances that both have; "
    f"{GAP_METHOD}; n counts instances"
)


def control_figures(grid: Grid, variants: Sequence[str]) -> Iterator[Figure]:
    """Yield `control_gap` of each model that has a control in the setting: in all domains, and in each.

    `other` is the control, `convention` its variant. The gap is that of success rates, in -1..1; what is left
    of the model's rate is what the control reaches.
    """
    import numpy as np

    rates, unit = rates_in_units(grid.solved.ravel(), np.maximum(grid.runs.ravel(), 1))
    rates, seen, numbers = rates.reshape(grid.runs.shape), grid.runs > 0, grid.domain
    for variant, model, control in _controls(grid.players, variants):
        one, other = grid.players.index(model), grid.players.index(control)
        shared = seen[one] & seen[other]
        gaps = rates[one] - rates[other]
        for domain, columns in grid.places():
            kept = shared[columns]
            if not kept.any():
                continue
            gap = gaps[columns][kept]
            place = grid.cluster[columns][kept], numbers[columns][kept]
            of = (grid.setting, domain, model, len(gap), float(gap.sum()) / (unit * len(gap)))
            bounds = bound_gap(gap / unit, *place, grid.population)
            yield Figure("control_gap", *of, _METHOD, variant, other=control, **bounds._asdict())


def _controls(players: Sequence[str], variants: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield variant, model and control wherever both play."""
    for variant in variants:
        for control in players:
            model = control.removeprefix(f"{variant}:")
            if model != control and model in players:
                yield variant, model, control
