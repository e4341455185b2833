"""How instances were drawn: engine, solver, and what was judged, by domain and setting."""

from perennial.tasks.report.content import Grid, Query, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import clean

DRAWS = Query(
    "draws",
    """
-- How was each domain's instances drawn: what judged, and how many lists of truths and actions?
SELECT d.name AS domain, k.setting, k.engine, k.solver, sum(k.instances) AS instances, sum(k.lists) AS lists,
       sum(k.refused) AS refused, sum(k.walked) AS walked, sum(k.solver_calls) AS solver_calls,
       sum(k.checked) AS checked, sum(k.disagreements) AS disagreements
FROM kumo_draws AS k
JOIN kumo_seed_configs AS c USING (edition, config_id)
JOIN kumo_domains AS d USING (edition, domain_id)
WHERE k.edition = $edition
GROUP BY d.name, k.setting, k.engine, k.solver
ORDER BY d.name, k.setting
""",
)

_KEY = "draws"
_TITLE = "How instances were drawn"
_COUNTS = {
    "instances": "n",
    "lists": "lists judged",
    "refused": "refused",
    "walked": "from walks",
    "solver_calls": "solver calls",
    "checked": "judged by both",
    "disagreements": "disagreements",
}


@figure(_KEY, _TITLE, DRAWS)
def draw_table(data: ReportData) -> Section:
    """Return the section with a row per domain and setting."""
    table = data.tables[_KEY]
    if not table.rows:
        return omit_section(_KEY, _TITLE, [table], "Nothing says how these instances were drawn.")
    records = table.records()
    solvers = " and ".join(sorted({f"{row['solver']} ({row['engine']})" for row in records}))
    caption = (
        f"The n instances were drawn by {solvers}. A list of truths and actions is accepted if each listed "
        "truth could be the only survivor. The lists are random ones; where fewer than 1 in 500 of these "
        "are accepted, the solver finds a first list, and a walk of symmetric swaps leads from it to each "
        "instance. The other engine judges again the lists that are counted as judged by both. These are "
        "counts, with no interval."
    )
    rows = tuple(
        (clean(row["domain"]), row["setting"], *(f"{row[name]:,}" for name in _COUNTS)) for row in records
    )
    headings = ("domain", "setting", *_COUNTS.values())
    return Section(
        _KEY, _TITLE, caption, (table,), grid=Grid(headings, rows, frozenset(range(2, len(headings))))
    )
