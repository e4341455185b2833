"""What action counts are compared with: Algorithm 3's policy, and the optimum under the promise."""

from perennial.tasks.report.content import Grid, Query, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import decimals

REFERENCES = Query(
    "references",
    """
-- What are action counts compared with? Means over instances: Algorithm 3's expected tests by its own
-- model of outcomes,
-- its policy's under the sampler's prior, the optimum's, and the tests of both on the observations.
SELECT i.setting, count(*) AS instances,
       count(*) FILTER (k.promise_status = 'exact') AS exact,
       avg(k.expected_steps) FILTER (k.expected_steps >= 0) AS expected_steps,
       avg(k.policy_steps) AS policy_steps, avg(k.promise_steps) AS promise_steps,
       avg(k.optimal_tests) AS optimal_tests, avg(k.promise_tests) AS promise_tests
FROM kumo_instances AS k
JOIN instances AS i USING (edition, instance_id)
WHERE edition = $edition
GROUP BY i.setting
ORDER BY max(k.n_truths * k.n_actions), i.setting
""",
)

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


@figure(_KEY, _TITLE, REFERENCES)
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
