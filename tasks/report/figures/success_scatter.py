"""Success rate against another setting, tokens, and other benchmarks."""

from collections.abc import Sequence

from perennial.tasks.report.content import (
    Query,
    Record,
    ReportData,
    ReportTable,
    Section,
    figure,
    omit_section,
)
from perennial.tasks.report.figures.heat_map import DOMAINS
from perennial.tasks.report.figures.player_rows import TOKENS
from perennial.tasks.report.figures.scatter import Axis, Point, correlation_text, scatter
from perennial.tasks.report.wording import name_populations
from perennial.tasks.statistics.correlation import pearson

OTHER_BENCHMARKS = Query(
    "other_benchmarks",
    """
-- How did the same players do in other benchmarks?
SELECT x.benchmark, l.setting, l.player, x.score, x.source, l.success_rate, l.success_rate_low,
       l.success_rate_high,
       l.population
FROM leaderboard AS l
JOIN external_scores AS x USING (player)
WHERE l.edition = $edition AND l.success_rate IS NOT NULL
ORDER BY x.benchmark, x.source, l.setting, l.player
""",
)

_FEWEST_PLAYERS = 4
_PEARSON = "r is Pearson's, its 95% interval by Fisher's z (at least 7 points), n the number of points"
_NAMES = "Beyond eight players only those are named that stand out; look for others by name."
_LINES = "lines through a point are its 95% intervals"


@figure("two_settings", "Success in two settings", DOMAINS)
def settings_scatter(data: ReportData) -> Section:
    """Return the section that sets the first setting against the last."""
    key, title = settings_scatter.key, settings_scatter.title
    tables = (data.tables["headline"], data.tables["domains"])
    settings = data.settings
    if len(settings) < 2:
        return omit_section(key, title, tables, "This edition has one setting only.")
    easier, harder = settings[0], settings[-1]
    ends = ("success_rate_low", "success_rate_high")
    points = _points(tables[0], easier, harder, ["player"], ends)
    unit = "player, all domains together"
    if len(points) < _FEWEST_PLAYERS:
        points = _points(tables[1], easier, harder, ["player", "domain"], ends)
        unit = "player in one domain, as too few players took part in both settings to compare players alone"
    if not points:
        return omit_section(key, title, tables, "No player took part in both settings.")
    axes = Axis(f"success rate, {easier}", True), Axis(f"success rate, {harder}", True)
    drawing = scatter(_correlation(points), f"{title}: {easier} and {harder}", points, *axes)
    caption = (
        f"Each point is a {unit}; {_LINES}. {name_populations(tables[0].records())} On the broken line both "
        f"settings are equally hard. {_NAMES} {_PEARSON}."
    )
    return Section(key, title, caption, tables, (drawing,))


@figure("success_and_tokens", "Success and tokens", TOKENS)
def tokens_scatter(data: ReportData) -> Section:
    """Return the section that sets success against tokens, a drawing per setting."""
    key, title = tokens_scatter.key, tokens_scatter.title
    tables = (data.tables["headline"], data.tables["tokens"])
    tokens = {(row["setting"], row["player"]): row for row in tables[1].records() if row["mean_tokens"]}
    drawings = []
    for setting in data.settings:
        points = [
            Point(
                row["player"],
                used["mean_tokens"],
                row["success_rate"],
                (used["mean_tokens_low"], used["mean_tokens_high"]),
                (row["success_rate_low"], row["success_rate_high"]),
            )
            for row in tables[0].records()
            if row["setting"] == setting and row["success_rate"] is not None
            if (used := tokens.get((setting, row["player"]))) is not None
        ]
        if len(points) > 1:
            axes = Axis("mean tokens per episode", places=0), Axis("success rate", True)
            heading = f"{setting}: {_correlation(points)}"
            drawings.append(scatter(heading, f"{title}: {setting}", points, *axes))
    if not drawings:
        return omit_section(key, title, tables, "Fewer than two players of this edition have a token count.")
    populations = name_populations(tables[0].records())
    caption = f"Each point is a player, all domains together; {_LINES}. {populations} {_NAMES} {_PEARSON}."
    return Section(key, title, caption, tables, tuple(drawings))


@figure("other_benchmarks", "Success and other benchmarks", OTHER_BENCHMARKS)
def benchmarks_scatter(data: ReportData) -> Section:
    """Return the section that sets success, and the first measure, against scores of other benchmarks."""
    key, title = benchmarks_scatter.key, benchmarks_scatter.title
    table = data.tables[key]
    headline = {(row["setting"], row["player"]): row for row in data.tables["headline"].records()}
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for row in table.records():
        groups.setdefault((row["benchmark"], row["source"], row["setting"]), []).append(row)
    drawings = []
    for (benchmark, _, setting), rows in groups.items():
        points = [
            Point(
                row["player"],
                row["score"],
                row["success_rate"],
                y_interval=(row["success_rate_low"], row["success_rate_high"]),
            )
            for row in rows
        ]
        name = f"{benchmark}, {setting}"
        axes = Axis(f"score in {benchmark}"), Axis(f"success rate, {setting}", True)
        drawings.append(scatter(f"{name}: {_correlation(points)}", f"{title}: {name}", points, *axes))
        for measure in data.measures[:1]:
            points = [
                Point(row["player"], row["score"], found[column], y_interval=(found[low], found[high]))
                for row in rows
                for column, low, high in [(measure.column, f"{measure.column}_low", f"{measure.column}_high")]
                if (found := headline[setting, row["player"]])[column] is not None
            ]
            if len(points) > 1:
                axes = axes[0], Axis(f"{measure.heading}, {setting}")
                heading = f"{name}, {measure.heading}: {_correlation(points)}"
                drawings.append(scatter(heading, f"{measure.heading} and {name}", points, *axes))
    if not drawings:
        return omit_section(
            key,
            title,
            [table],
            "No score of another benchmark is known: the command perennial import scores takes them in.",
        )
    caption = (
        "Each point is a player, all domains together; the line through it is the 95% interval of its "
        f"success rate, or of the measure. {name_populations(table.records())} {_NAMES} {_PEARSON}. The "
        "table names each score's source."
    )
    return Section(key, title, caption, (table, data.tables["headline"]), tuple(drawings))


def _correlation(points: Sequence[Point]) -> str:
    return correlation_text(pearson([point.x for point in points], [point.y for point in points]))


def _points(
    table: ReportTable, easier: str, harder: str, whose: Sequence[str], interval: tuple[str, str]
) -> list[Point]:
    """Return a point for what has a rate in both settings; `interval` names the columns of its ends."""
    low, high = interval
    known = [row for row in table.records() if row["success_rate"] is not None]
    rates = {(row["setting"], *(row[name] for name in whose)): row for row in known}
    return [
        Point(
            row["player"],
            row["success_rate"],
            other["success_rate"],
            (row[low], row[high]),
            (other[low], other[high]),
            row.get("domain", ""),
        )
        for (setting, *rest), row in rates.items()
        if setting == easier and (other := rates.get((harder, *rest))) is not None
    ]
