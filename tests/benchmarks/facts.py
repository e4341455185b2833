"""Compare whole columns of the bundled domains with packages of facts from PyPI.

    pip install astropy chemicals openap lang2vec
    python -m tests.benchmarks.facts [--all]

A package that is not installed is skipped, with a line that says so. A difference is a cell with which no
value of the package agrees. `review.csv` of the domain settles each: it holds the cell, and a reason. Those
that it does not settle are listed, and the exit code is 1; `--all` lists the settled ones too.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from perennial.warehouse.kumo.domains.generate import FOLDER

Row = dict[str, str]
Difference = tuple[str, str, str, str]  # truth, attribute, cell, the package's value


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def holds(cell: str, value: float, slack: float = 0.0) -> bool:
    """Return whether the value lies in the cell, widened by `slack`."""
    low, _, high = cell.partition("..")
    return float(low) - slack <= value <= float(high or low) + slack


class Column:
    """Counts the cells compared of one column and keeps the differences."""

    def __init__(self, attribute: str) -> None:
        self.attribute = attribute
        self.compared = 0
        self.differences: list[Difference] = []

    def number(self, row: Row, value: float | None, slack: float = 0.0) -> None:
        """Compare a cell of numbers; an empty one, and a truth that the package lacks, are passed over."""
        cell = row[self.attribute]
        if cell and value is not None:
            self.compared += 1
            if not holds(cell, value, slack):
                self.differences.append((row["truth"], self.attribute, cell, f"{value:.6g}"))

    def word(self, row: Row, values: set[str]) -> None:
        """Compare a cell of words: one of them must be among the package's."""
        cell = row[self.attribute]
        if cell and values:
            self.compared += 1
            if not values & set(cell.split("|")):
                self.differences.append((row["truth"], self.attribute, cell, "|".join(sorted(values))))


# Those that astropy spells in its own way.
_OTHER_SPELLINGS = {"Crux": "Cru", "Ophiuchus": "Oph", "Piscis Austrinus": "PsA"}


def constellations(rows: list[Row]) -> Iterator[Column]:
    """Areas and limits of declination by the borders of Roman (1987), in astropy."""
    import numpy as np
    from astropy import units
    from astropy.coordinates import SkyCoord, get_constellation

    step = 0.25
    declination = np.arange(-90 + step / 2, 90, step)
    ascension = np.arange(step / 2, 360, step)
    grid = SkyCoord(*(axis.ravel() for axis in np.meshgrid(ascension, declination)), unit="deg")
    names = get_constellation(grid, short_name=True)
    long_names = dict(
        zip(*(get_constellation(grid, short_name=short) for short in (False, True)), strict=True)
    )
    short_names = long_names | _OTHER_SPELLINGS
    # Square degrees of each cell of the grid.
    areas = np.cos(grid.dec.to_value(units.rad)) * step**2
    columns = [Column(name) for name in ("area", "north_limit", "south_limit")]
    for row in rows:
        inside = names == short_names[row["truth"]]
        limits = grid.dec.to_value(units.deg)[inside]
        columns[0].number(row, float(areas[inside].sum()), slack=0.01 * float(row["area"]) + 1)
        columns[1].number(row, float(limits.max()), slack=step)
        columns[2].number(row, float(limits.min()), slack=step)
    yield from columns


def substances(rows: list[Row]) -> Iterator[Column]:
    """Constants of pure substances, in chemicals (CRC Handbook, Yaws and others)."""
    import chemicals
    from chemicals import elements

    melting, boiling, molar, index, carbon = (
        Column(name)
        for name in ("melting_point", "boiling_point", "molar_mass", "refractive_index", "carbon")
    )
    for row in rows:
        name = row["truth"].removeprefix("Anhydrous ").lower()
        try:
            cas = chemicals.CAS_from_any(name)
        except ValueError:
            continue
        if "hydrate" in name and "hydrate" not in (chemicals.search_chemical(name).common_name or "").lower():
            continue
        found = (chemicals.Tm(cas, method=method) for method in chemicals.Tm_methods(cas))
        values = [value - 273.15 for value in found if value]
        # Where the sources differ, the cell need agree with one of them only.
        if values and row["melting_point"]:
            melting.number(row, min(values, key=lambda value: _distance(row["melting_point"], value)), 1.0)
        found = (chemicals.Tb(cas, method=method) for method in chemicals.Tb_methods(cas))
        values = [value - 273.15 for value in found if value]
        if values and row["boiling_point"]:
            boiling.number(row, min(values, key=lambda value: _distance(row["boiling_point"], value)), 1.0)
        molar.number(row, chemicals.MW(cas), 0.1)
        index.number(row, (chemicals.RI(cas) or (None,))[0], 0.003)
        atoms = chemicals.search_chemical(name).formula
        fractions = elements.mass_fractions(elements.simple_formula_parser(atoms))
        carbon.number(row, 100 * fractions.get("C", 0.0), 0.1)
    yield from (melting, boiling, molar, index, carbon)


def _distance(cell: str, value: float) -> float:
    low, _, high = cell.partition("..")
    return max(float(low) - value, value - float(high or low), 0.0)


_AIRCRAFT = {
    "Airbus A320": "a320",
    "Airbus A330-300": "a333",
    "Airbus A340-300": "a343",
    "Airbus A350-900": "a359",
    "Airbus A380-800": "a388",
    "Boeing 757-200": "b752",
    "Boeing 777-200": "b772",
    "Boeing 787-8": "b788",
    "Embraer ERJ 145": "e145",
    "Embraer 170": "e170",
}


def airliners(rows: list[Row]) -> Iterator[Column]:
    """Sizes of airliners, in openap: of those whose version it has."""
    from openap import prop

    columns = {name: Column(name) for name in ("length", "span", "wing_area", "sweep", "fuselage_width")}
    words = {name: Column(name) for name in ("engine_count", "engine_type", "engine_position")}
    for row in rows:
        if row["truth"] not in _AIRCRAFT:
            continue
        found = prop.aircraft(_AIRCRAFT[row["truth"]])
        wing, body, engine = found["wing"], found["fuselage"], found["engine"]
        columns["length"].number(row, body["length"], 0.15)
        columns["fuselage_width"].number(row, body["width"], 0.1)
        columns["span"].number(row, wing["span"], 0.15)
        columns["wing_area"].number(row, wing["area"], 3)
        columns["sweep"].number(row, wing["sweep"], 1)
        words["engine_count"].word(row, {str(engine["number"])})
        words["engine_type"].word(row, {engine["type"]})
        words["engine_position"].word(row, {"tail" if engine["mount"] == "rear" else engine["mount"]})
    yield from (*columns.values(), *words.values())


# Languages with the ISO 639-3 code of the package.
_CODES = """
English eng, German deu, Swedish swe, Icelandic isl, French fra, Spanish spa, Portuguese por, Italian ita,
Romanian ron, Irish gle, Welsh cym, Russian rus, Ukrainian ukr, Polish pol, Czech ces, Bulgarian bul,
Lithuanian lit, Modern Greek ell, Eastern Armenian hye, Persian pes, Hindi hin, Urdu urd, Bengali ben,
Finnish fin, Estonian est, Hungarian hun, Turkish tur, Kazakh kaz, Khalkha Mongolian khk, Georgian kat,
Basque eus, Modern Standard Arabic arb, Modern Hebrew heb, Amharic amh, Maltese mlt, Hausa hau, Swahili swh,
Zulu zul, Yoruba yor, Tamil tam, Mandarin Chinese cmn, Japanese jpn, Korean kor, Vietnamese vie, Thai tha,
Khmer khm, Burmese mya, Indonesian ind, Tagalog tgl, Māori mri, Malagasy plt, Southern Quechua quh,
Greenlandic kal
"""
_LANGUAGES = {name: code for name, _, code in (pair.strip().rpartition(" ") for pair in _CODES.split(","))}
# A word of a column by the features of WALS that say it.
_FEATURES: dict[str, dict[str, str]] = {
    "order": {"SVO": "S_SVO", "SOV": "S_SOV", "verb first": "S_VSO"},
    "adposition": {"before": "S_ADPOSITION_BEFORE_NOUN", "after": "S_ADPOSITION_AFTER_NOUN"},
    "adjective": {"before": "S_ADJECTIVE_BEFORE_NOUN", "after": "S_ADJECTIVE_AFTER_NOUN"},
}


def languages(rows: list[Row]) -> Iterator[Column]:
    """Order of words, articles and classifiers, in lang2vec (the features of WALS)."""
    import lang2vec.lang2vec as lang2vec

    found = lang2vec.get_features(sorted(_LANGUAGES.values()), "syntax_wals", header=True)
    names = [str(name) for name in found["CODE"]]
    columns = {name: Column(name) for name in (*_FEATURES, "definite", "classifiers")}
    for row in rows:
        code = _LANGUAGES.get(row["truth"])
        if code is None:
            continue
        values = {name: value for name, value in zip(names, found[code], strict=True) if value != "--"}
        for attribute, words in _FEATURES.items():
            columns[attribute].word(row, {word for word, name in words.items() if values.get(name) == 1})
        articles = {"suffix": "S_DEFINITE_AFFIX", "before": "S_DEFINITE_WORD"}
        if {*articles.values()} <= set(values):
            said = {word for word, name in articles.items() if values[name] == 1} or {"none"}
            columns["definite"].word(row, said)
        if "S_NUMCLASS_MARK" in values:
            columns["classifiers"].word(row, {"yes" if values["S_NUMCLASS_MARK"] == 1 else "no"})
    yield from columns.values()


COMPARISONS: dict[str, tuple[str, Callable[[list[Row]], Iterator[Column]]]] = {
    "constellation_identification": ("astropy", constellations),
    "chemical_analysis": ("chemicals", substances),
    "airliner_identification": ("openap", airliners),
    "language_identification": ("lang2vec", languages),
}


def compare(slug: str, is_whole: bool) -> int:
    """Print the comparison of a domain; return the number of differences that its review does not settle."""
    package, columns = COMPARISONS[slug]
    settled = {
        (row["truth"], row["attribute"], row["result"])
        for row in read_rows(FOLDER / slug / "review.csv")
        if row["reason"]
    }
    unsettled = 0
    try:
        found = list(columns(read_rows(FOLDER / slug / "facts.csv")))
    except ImportError as error:
        print(f"{slug}: skipped, {package} is not installed ({error})")
        return 0
    for column in found:
        open_ones = [one for one in column.differences if one[:3] not in settled]
        unsettled += len(open_ones)
        print(
            f"{slug} {column.attribute}: {column.compared} cells compared with {package}, "
            f"{len(column.differences)} differ, {len(open_ones)} of them not settled"
        )
        for truth, attribute, cell, value in column.differences if is_whole else open_ones:
            print(f"  {truth},{attribute},{cell}: {package} has {value}")
    return unsettled


def main() -> int:
    """Return 0 where all differences are settled."""
    return 1 if sum(compare(slug, "--all" in sys.argv) for slug in COMPARISONS) else 0


if __name__ == "__main__":
    sys.exit(main())
