"""What KnowLogic adds to the statistics of an edition."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from perennial.tasks.knowlogic.statistics import (
    COUNTS,
    LABELS,
    LISTS,
    MCNEMAR,
    MCNEMAR_IN_DOMAIN,
    Played,
    Questions,
    question_figures,
)
from perennial.tasks.statistics.multiplicity import Figure
from perennial.tasks.statistics.rate_figures import Analysis

if TYPE_CHECKING:
    import pyarrow

_QUESTIONS, _PLAYED = "labelled_questions", "played_questions"
_COLUMN_OF = {"property": "properties", "relation": "relations", "level": "band"}


def _figures(tables: "Mapping[str, pyarrow.Table]", _seed: int) -> Iterable[Figure]:
    questions = _questions(tables[_QUESTIONS])
    return question_figures(questions, _read_players(tables[_PLAYED], len(questions)))


def _questions(table: "pyarrow.Table") -> Questions:
    import numpy as np

    names = ("pair", "language", "domain", "difficulty")
    pair, language, domain, difficulty = (np.array(table[name].to_pylist(), dtype=str) for name in names)
    _, number = np.unique(pair, return_inverse=True)
    level = np.array([np.nan if value is None else value for value in table["level"].to_pylist()], float)
    labels = {
        label: [_values(label, value) for value in table[_COLUMN_OF.get(label, label)].to_pylist()]
        for label in LABELS
    }
    return Questions(number, language, domain, difficulty, level, labels)


def _values(label: str, value: object) -> list[str]:
    if value is None:
        return []
    return [str(one) for one in value] if label in LISTS and isinstance(value, list) else [str(value)]


def _read_players(table: "pyarrow.Table", number: int) -> Iterator[Played]:
    import numpy as np

    for row, player in enumerate(table["player"].to_pylist()):
        places = table["number"][row].values.to_numpy()
        columns = {}
        for name in COUNTS:
            columns[name] = np.zeros(number, np.int64)
            columns[name][places] = table[name][row].values.to_numpy()
        yield Played(player, columns)


ANALYSIS = Analysis(
    queries={
        name: (files("perennial.flows.knowlogic") / f"{name}.sql").read_text(encoding="utf-8")
        for name in (_QUESTIONS, _PLAYED)
    },
    table_figures=_figures,
    families=(MCNEMAR, MCNEMAR_IN_DOMAIN),
)
