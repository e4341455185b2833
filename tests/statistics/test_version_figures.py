"""Two versions of the same questions: paired differences by hand, and which instances count."""

import numpy as np
import pytest

from perennial.tasks.statistics.cells import Domains
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import preference_figures, version_figures

DOMAINS = Domains(("a", "b", "c"), (0, 2, 4, 6))


def _cells(*cells: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """Return the columns of cells given as instance, runs and solved ones of these."""
    columns = zip(*cells, strict=True) if cells else ([], [], [])
    found = {
        name: np.array(list(column), np.int32)
        for name, column in zip(("instance", "runs", "solved"), columns, strict=True)
    }
    return found | {"cluster": found["instance"]}


def _figures(usual: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> dict[tuple[str, str], Statistic]:
    figures = list(version_figures("easy", DOMAINS, "m", "first", usual, other, "these domains"))
    assert {(f.setting, f.player, f.other) for f in figures} <= {("easy", "m", "first")}
    return {(f.statistic, f.domain): f for f in figures}


def test_the_difference_is_a_mean_over_instances_of_differences_of_run_means() -> None:
    # Instance 0: 3/3 against 1/2; 2: 1/2 against 1/4; 3: 0/2 against 1/1. The others lack one version.
    usual = _cells((0, 3, 3), (1, 5, 5), (2, 2, 1), (3, 2, 0), (4, 0, 0))
    other = _cells((0, 2, 1), (2, 4, 1), (3, 1, 1), (4, 2, 2), (5, 2, 2))
    found = _figures(usual, other)
    assert {key: figure.n for key, figure in found.items()} == {
        (statistic, domain): n
        for statistic in ("version_difference", "version_rate")
        for domain, n in (("all", 3), ("a", 1), ("b", 2))
    }
    assert found["version_difference", "all"].value == pytest.approx((0.5 + 0.25 - 1) / 3)
    assert found["version_rate", "all"].value == pytest.approx((0.5 + 0.25 + 1) / 3)
    whole = found["version_difference", "b"]
    assert whole.value == pytest.approx(-0.375)
    assert (whole.low, whole.high, whole.population) == (-1, 1, "these domains")
    alone = found["version_difference", "a"]
    assert (alone.value, alone.low, alone.high) == (pytest.approx(0.5), None, None)
    assert alone.no_interval == "one cluster: nothing shows how clusters vary"


@pytest.mark.parametrize("usual", [_cells(), _cells((1, 2, 2)), _cells((0, 0, 0))])
def test_without_an_instance_in_both_versions_there_is_no_figure(usual: dict[str, np.ndarray]) -> None:
    assert _figures(usual, _cells((0, 2, 1))) == {}


def test_a_preference_is_half_of_the_difference_of_two_gains() -> None:
    # Both played both versions of instances 0 and 3: gains .5 and -1 of a, 0 and 1 of b.
    players = {
        "b": (_cells((0, 2, 2), (3, 1, 1), (4, 1, 1)), _cells((0, 3, 3), (3, 1, 0), (4, 1, 1))),
        "a": (_cells((0, 3, 3), (2, 2, 1), (3, 2, 0)), _cells((0, 2, 1), (2, 4, 1), (3, 1, 1))),
    }
    (figure,) = preference_figures("easy", DOMAINS, "second", players, "these domains")
    assert (figure.player, figure.other, figure.convention, figure.n) == ("a", "b", "second", 2)
    assert figure.value == pytest.approx(((0.5 - 0) + (-1 - 1)) / 2 / 2)
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low <= figure.value <= figure.high
