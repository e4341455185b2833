"""Models by what their entries in models.toml say of them: tuning, weights and size."""

from collections.abc import Callable, Iterator, Sequence

from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.scatter import Axis, Point, correlation_text, scatter
from perennial.tasks.report.wording import clean, decimals, name_populations
from perennial.tasks.statistics.correlation import pearson

MODELS = Query(
    "models",
    """
-- How do models of a kind do: tuned for reasoning or not, with open or closed weights, small or large?
SELECT l.setting, l.player, f.family, f.parameters_billion, f.tuning, f.weights, l.success_rate,
       l.success_rate_low,
       l.success_rate_high, l.population, t.mean_tokens, t.mean_reasoning_tokens
FROM leaderboard AS l
JOIN model_facts AS f USING (edition, player)
LEFT JOIN token_use AS t USING (edition, setting, player)
WHERE l.edition = $edition AND l.success_rate IS NOT NULL
ORDER BY l.setting, l.success_rate DESC, l.player
""",
)

_KEY, _TITLE = "models", "Models by tuning, weights and size"
# In billions of parameters: below the first, below the second, and the rest.
_SIZES = (10, 50)


@figure(_KEY, _TITLE, MODELS)
def model_groups(data: ReportData) -> Section:
    """Return the section: means over the models of each kind, and success by number of parameters."""
    table = data.tables[_KEY]
    rows = table.records()
    if not any(group_of(row) for row in rows for _, group_of in _TRAITS):
        missing = (
            "Nothing is known of the edition's models: their entries in models.toml may say tuning, weights "
            "and parameters_billion."
        )
        return omit_section(_KEY, _TITLE, [table], missing)
    of_headline = {(row["setting"], row["player"]): row for row in data.tables["headline"].records()}
    measures = data.measures[:1]
    for row in rows:
        row |= {one.column: of_headline[row["setting"], row["player"]][one.column] for one in measures}
    headings = (
        *("setting", "kind", "n", "mean success rate", "lowest", "highest"),
        *(f"mean {measure.heading}" for measure in measures),
        *("mean tokens", "mean reasoning tokens"),
    )
    columns = [measure.column for measure in measures]
    cells = tuple(_line(*group, columns) for setting in data.settings for group in _groups(rows, setting))
    drawings = tuple(
        scatter(
            f"{setting}: {correlation_text(pearson([p.x for p in points], [p.y for p in points]))}",
            f"Success and parameters: {setting}",
            points,
            Axis("parameters, billions", places=1),
            Axis("success rate", True),
        )
        for setting in data.settings
        if len(points := _points(rows, setting)) > 1
    )
    caption = (
        "Means are over the models of a kind, each with equal weight, as their entries in models.toml "
        "describe them. Models are not a draw from a population, so these means have no interval; lowest "
        "and highest say how far they lie apart; n counts models. Reasoning tokens are those that "
        "servers counted. A drawing shows each model whose number of parameters is known, with its 95% "
        "interval. "
        f"{name_populations(rows)}"
    )
    grid = Grid(headings, cells, frozenset(range(2, len(headings))))
    return Section(_KEY, _TITLE, caption, (table, data.tables["headline"]), drawings, grid)


def _size(row: Record) -> str:
    billions = row["parameters_billion"]
    if billions is None:
        return ""
    small, large = _SIZES
    if billions < small:
        return f"below {small} billion parameters"
    return f"{small} to {large} billion" if billions < large else f"{large} billion or more"


_TRAITS: tuple[tuple[str, Callable[[Record], str]], ...] = (
    ("tuning", lambda row: row["tuning"] or ""),
    ("weights", lambda row: row["weights"] or ""),
    ("size", _size),
)


def _groups(rows: Sequence[Record], setting: str) -> Iterator[tuple[str, str, list[Record]]]:
    """Yield setting, kind and models of each kind that has any."""
    for trait, group_of in _TRAITS:
        found: dict[str, list[Record]] = {}
        listed = [row for row in rows if row["setting"] == setting]
        for row in sorted(listed, key=lambda row: row["parameters_billion"] or 0):
            if group := group_of(row):
                found.setdefault(group, []).append(row)
        for group, models in found.items():
            yield setting, group if trait == "size" else f"{trait}: {group}", models


def _line(setting: str, kind: str, models: Sequence[Record], measures: Sequence[str]) -> tuple[str, ...]:
    rates = [row["success_rate"] for row in models]
    return (
        *(clean(setting), clean(kind), str(len(models))),
        *(f"{value:.3f}" for value in (sum(rates) / len(rates), min(rates), max(rates))),
        *(_mean(models, column, 3) for column in measures),
        *(_mean(models, column, 0) for column in ("mean_tokens", "mean_reasoning_tokens")),
    )


def _mean(models: Sequence[Record], column: str, places: int) -> str:
    known = [row[column] for row in models if row[column] is not None]
    return decimals(sum(known) / len(known), places) if known else ""


def _points(rows: Sequence[Record], setting: str) -> list[Point]:
    return [
        Point(
            row["player"],
            row["parameters_billion"],
            row["success_rate"],
            y_interval=(row["success_rate_low"], row["success_rate_high"]),
        )
        for row in rows
        if row["setting"] == setting and row["parameters_billion"] is not None
    ]
