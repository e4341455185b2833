"""What action counts are compared with: Algorithm 3's policy, and the optimum under the promise."""

from tasks.report.content import Grid, ReportData, Section, omit_section
from tasks.report.wording import decimals

_KEY = "references"
_TITLE = "What action counts are compared with"
_COLUMNS = {
    "setting": "setting",
    "instances": "n",
    "exact": "optimum exact",
    "expected_steps": "Algorithm 3, by its own model",
    "policy_steps": "Algorithm 3's policy",
    "promise_steps": "optimum",
    "optimal_tests": "tests of Algorithm 3",
    "promise_tests": "tests of the optimum",
}


def reference_table(data: ReportData) -> Section:
    """Return the section with the mean tests of both references, a row per setting."""
    table = data.tables[_KEY]
    if not table.rows:
        return omit_section(_KEY, _TITLE, [table], "This edition has no instance.")
    rows = tuple(tuple(_cell(row[name]) for name in _COLUMNS) for row in table.records())
    caption = (
        "Mean tests over the n instances, with no interval: they are computed, not sampled. Algorithm 3, "
        "the paper's reference, uses the promise that exactly one truth is valid only at its end. Player "
        "optimum uses it throughout and may need fewer tests, so relative to Algorithm 3 its relative count "
        "can be negative. Algorithm 3's expected tests are under its own model of outcomes; those of its "
        "policy "
        "and of the optimum are under the sampler's prior and can be compared. The last two columns "
        "are tests on the observations that the instances have."
    )
    return Section(
        _KEY, _TITLE, caption, (table,), grid=Grid(tuple(_COLUMNS.values()), rows, frozenset(range(1, 8)))
    )


def _cell(value: object) -> str:
    if value is None or isinstance(value, float):
        return decimals(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
