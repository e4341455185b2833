"""Figures of players by the labels of questions: accuracy, unextracted rate, error classes.

`setting` is the difficulty, `domain` the domain. `other` is the language, empty for both together; of
accuracy by a label it is `LANGUAGE/VALUE`, of tokens `LANGUAGE/WHICH`, with language `all` for both. A
question that a player has no scored run on is in none of its figures: `n` says how many are.
"""

from collections.abc import Iterable, Iterator
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from perennial.schemas.knowlogic.things import ERROR_CLASSES
from perennial.tasks.knowlogic.statistics.estimates import EXACT, METHOD, estimate_mean, interval_of_average
from perennial.tasks.knowlogic.statistics.languages import language_figures
from perennial.tasks.knowlogic.statistics.questions import LABELS, Group, Questions, cells_of, labelled_groups
from perennial.tasks.knowlogic.statistics.tokens import token_figures
from perennial.tasks.statistics.cells import ALL
from perennial.tasks.statistics.figure import Figure
from perennial.tasks.statistics.figures.rate_figures import rates_in_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from perennial.tasks.statistics.cells import Column

_MEAN = "mean over questions of the mean over scored runs"
_AVERAGE = (
    "unweighted mean of the cells, domain x language, of the edition; normal interval with the variance "
    f"between pairs of each domain; {EXACT}; n counts questions"
)


class Quantity(NamedTuple):
    """A share of scored runs: its statistic, the column that counts it, and what it is."""

    statistic: str
    total: str
    what: str


ACCURACY = Quantity("accuracy", "solved", "share of scored runs whose letters are all right and no others")
QUANTITIES = (
    ACCURACY,
    Quantity("unextracted_rate", "unread", "share of scored runs from which no letters were read"),
    *(
        Quantity(f"error_{name}", name, f"share of scored runs whose letters are wrong, and class: {name}")
        for name in ERROR_CLASSES
    ),
)
LENIENT = Quantity(
    "lenient_accuracy", "lenient", "share of scored runs whose letters are all right by the lenient reading"
)
_TELLING = 0.01  # From this difference between both readings on, of any player, the lenient one is shown.
COUNTS = (
    *("runs", "solved", "unread", "lenient", *ERROR_CLASSES),
    *("right_tokens", "right_replies", "wrong_tokens", "wrong_replies"),
)


class Played(NamedTuple):
    """What a player did: columns of counts (`COUNTS`), one element per question of the edition."""

    player: str
    columns: "Mapping[str, Column]"


def question_figures(questions: Questions, players: Iterable[Played]) -> Iterator[Figure]:
    """Yield all figures of the players."""
    cells = list(cells_of(questions))
    labelled = {label: list(labelled_groups(questions, label)) for label in LABELS}
    whole = [group for group in cells if group.setting == ALL]
    players = list(players)
    quantities = (*QUANTITIES, LENIENT) if any(map(_readings_differ, players)) else QUANTITIES
    for played in players:
        for quantity in quantities:
            for group in cells:
                other = "" if group.language == ALL else group.language
                yield from _share(questions, played, quantity, group, quantity.statistic, other)
        for label, groups in labelled.items():
            for group in groups:
                other = f"{group.language}/{group.value}"
                yield from _share(questions, played, ACCURACY, group, f"accuracy_by_{label}", other)
        yield from _average(questions, played, whole)
        yield from token_figures(questions, played.player, played.columns, cells, labelled["level"])
        yield from language_figures(questions, played.player, played.columns)


def _readings_differ(played: Played) -> bool:
    columns = played.columns
    return bool((columns["lenient"] - columns["solved"]).sum() > _TELLING * columns["runs"].sum())


def _share(
    questions: Questions, played: Played, quantity: Quantity, group: Group, statistic: str, other: str
) -> Iterator[Figure]:
    rows, columns = group.rows, played.columns
    found = estimate_mean(
        columns[quantity.total][rows], columns["runs"][rows], questions.pair[rows], is_share=True
    )
    if found is not None:
        low, high = found.interval or (None, None)
        place = group.setting, group.domain, played.player, found.n, found.value
        method = f"{quantity.what}: {_MEAN}; {METHOD}; {EXACT}; n counts questions"
        yield Figure(statistic, *place, method, other=other, low=low, high=high)


def _average(questions: Questions, played: Played, groups: Iterable[Group]) -> Iterator[Figure]:
    """Yield the mean of the paper's table 5, for a player with a scored run in each of its cells."""
    import numpy as np

    cells = [group for group in groups if ALL not in (group.domain, group.language)]
    runs, solved = played.columns["runs"], played.columns["solved"]
    known = [group.rows[runs[group.rows] > 0] for group in cells]
    if not cells or not all(map(len, known)):
        return
    deviations = np.zeros(len(questions))
    means = []
    for rows in known:
        rates, unit = rates_in_units(solved[rows], runs[rows])
        mean = float(rates.sum()) / (unit * len(rows))
        deviations[rows] = (rates / unit - mean) / (len(cells) * len(rows))
        means.append(mean)
    parts = []
    for domain in dict.fromkeys(group.domain for group in cells):
        rows = np.flatnonzero((questions.domain == domain) & (runs > 0))
        parts.append((deviations[rows], questions.pair[rows]))
    value = fsum(means) / len(means)
    low, high = interval_of_average(parts, value)
    n = sum(map(len, known))
    yield Figure(
        statistic="average",
        setting=ALL,
        domain=ALL,
        player=played.player,
        n=n,
        value=value,
        method=_AVERAGE,
        low=low,
        high=high,
    )
