"""What A2RBench adds to the statistics of an edition."""

from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from perennial.tasks.a2rbench.players import PLAYERS
from perennial.tasks.a2rbench.statistics import (
    COUNTS,
    Analyses,
    Items,
    Played,
    agreement_figures,
    item_figures,
)
from perennial.tasks.statistics.multiplicity import Figure
from perennial.tasks.statistics.rate_figures import Analysis

if TYPE_CHECKING:
    import pyarrow

_ITEMS, _PLAYED, _ANALYSED = "items", "played_items", "analysed_answers"


def _figures(tables: "Mapping[str, pyarrow.Table]", seed: int) -> Iterable[Figure]:
    items = _items(tables[_ITEMS])
    yield from item_figures(items, _read_players(tables[_PLAYED], len(items)), PLAYERS)
    yield from agreement_figures(_read_analyses(tables[_ANALYSED]), seed)


def _read_analyses(table: "pyarrow.Table") -> Iterator[Analyses]:
    for row in table.to_pylist():
        said = (dict(zip(row["analysts"], row[name], strict=True)) for name in ("categories", "styles"))
        yield Analyses(row["player"], row["rule"], *said)


def _items(table: "pyarrow.Table") -> Items:
    import numpy as np

    rules, types, authors = (np.array(table[name].to_pylist(), str) for name in ("rule", "type", "author"))
    dimension, variation, original = (
        np.array(table[name].to_pylist(), np.int64) for name in ("dimension", "variation", "original")
    )
    _, number = np.unique(rules, return_inverse=True)
    gzip = np.array(table["gzip"].to_pylist(), float)
    return Items(
        rule=number,
        type=types,
        dimension=dimension,
        variation=variation,
        author=authors,
        original=original,
        gzip=gzip,
        truth=table["answer"].to_pylist(),
    )


def _read_players(table: "pyarrow.Table", number: int) -> Iterator[Played]:
    import numpy as np

    for row, player in enumerate(table["player"].to_pylist()):
        places = table["number"][row].values.to_numpy()
        counts = {}
        for name in COUNTS:
            counts[name] = np.zeros(number, np.int64)
            counts[name][places] = table[name][row].values.to_numpy()
        wrong = dict(zip(places.tolist(), table["wrong"][row].as_py(), strict=True))
        yield Played(player, counts, wrong)


ANALYSIS = Analysis(
    queries={
        name: (files("perennial.flows.a2rbench") / f"{name}.sql").read_text(encoding="utf-8")
        for name in (_ITEMS, _PLAYED, _ANALYSED)
    },
    table_figures=_figures,
)
