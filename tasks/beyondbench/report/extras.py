"""What the report computes of BeyondBench's queries: accuracy by parameters, a line per family."""

from collections import defaultdict
from collections.abc import Mapping

from perennial.tasks.report.content import Extras, Query, Record, ReportTable

MODEL_FACTS = Query(
    "model_facts",
    """
-- How does accuracy go with what is known of models: family, parameters, quantisation, tuning?
SELECT s.suite, s.player, p.family, p.parameters_billion, p.quantization, p.tuning, s.cells, s.instances,
       s.accuracy, s.accuracy_low, s.accuracy_high
FROM beyondbench_scores AS s
JOIN model_facts AS p USING (edition, player)
WHERE s.edition = $edition AND s.task = 'all'
ORDER BY list_position(['easy', 'medium', 'hard', 'overall'], s.suite), p.family, p.parameters_billion,
s.player
""",
)

SUITES = Query(
    "suites",
    """
-- Which suites does the edition have, in the paper's order?
SELECT DISTINCT suite AS setting, list_position(['easy', 'medium', 'hard'], suite) AS place
FROM beyondbench_instances
WHERE edition = $edition
ORDER BY place
""",
)

SCALING = "scaling"
_COLUMNS = (
    "family",
    "models",
    "least_billion",
    "largest_billion",
    "gain_per_doubling",
    "at_least",
    "at_largest",
)
_COMPUTED = (
    "Computed from the overall accuracies: a line by least squares over the base-2 logarithm of parameters, "
    "a family each that has two sizes; its gain a doubling, and its values at both ends."
)


def compute_extras(queried: Mapping[str, ReportTable], _seed: int) -> Extras:
    """Return the table of lines of the families that have models of two sizes."""
    source = queried["model_facts"]
    rows = tuple(
        row
        for family, models in sorted(families_of(source.records()).items())
        if (row := _fit(family, models)) is not None
    )
    return Extras((ReportTable(SCALING, _COLUMNS, rows, source.sql, _COMPUTED),))


def families_of(rows: list[Record]) -> dict[str, list[Record]]:
    """Return the overall rows of unquantised models whose family and parameters are known, by family."""
    found: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        is_known = row["family"] and row["parameters_billion"] and row["quantization"] in (None, "none")
        if row["suite"] == "overall" and is_known:
            found[row["family"]].append(row)
    return dict(found)


def _fit(family: str, models: list[Record]) -> tuple[str, int, float, float, float, float, float] | None:
    import numpy as np

    sizes = np.array([row["parameters_billion"] for row in models])
    least, largest = float(sizes.min()), float(sizes.max())
    if least == largest:
        return None
    slope, start = np.polyfit(np.log2(sizes), [row["accuracy"] for row in models], 1)
    low, high = (float(start + slope * np.log2(size)) for size in (least, largest))
    return family, len(models), least, largest, float(slope), low, high
