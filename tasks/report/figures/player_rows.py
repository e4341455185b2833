"""Rates of each player by setting: success, tokens, and how episodes end that were not solved."""

from perennial.schemas.statistics.measure import mark_player
from perennial.tasks.report.content import (
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from perennial.tasks.report.figures.interval_rows import Scale, read_estimate, rows_by_setting
from perennial.tasks.report.figures.paper_values import (
    PAPER_DOC,
    PAPER_SCORES,
    paper_tables,
    read_paper_values,
)
from perennial.tasks.report.wording import name_populations

TOKENS = Query(
    "tokens",
    """
-- How many tokens does each player take for a scored episode?
SELECT setting, player, n AS episodes_with_tokens, value AS mean_tokens, low AS mean_tokens_low,
       high AS mean_tokens_high,
       population, no_interval
FROM statistics
WHERE edition = $edition AND statistic = 'mean_tokens' AND domain = 'all'
ORDER BY setting, mean_tokens NULLS LAST, player
""",
)

STATUSES = Query(
    "statuses",
    """
-- How do each player's episodes end? The share of each status among all attempted episodes.
SELECT setting, player, substr(statistic, length('status_') + 1) AS status, n AS attempted,
       value AS share, low AS share_low, high AS share_high, population
FROM statistics
WHERE edition = $edition AND starts_with(statistic, 'status_') AND domain = 'all'
ORDER BY setting, player, status
""",
)

SCORED_EPISODES = "n is the number of scored episodes."
_ENDS = {
    "wrong": "wrong answer",
    "unparsed": "parse error",
    "truncated": "reply cut off",
    "refused": "refused",
    "turn_limit": "turn limit",
    "api_error": "API error",
}


@figure("success_rate", "Success rate by setting", PAPER_SCORES)
def success_rows(data: ReportData) -> Section:
    """Return the section of success rates: a row per player, a column per setting."""
    key, title = success_rows.key, success_rows.title
    table = data.tables["headline"]
    rows = data.known_rows("headline", "success_rate")
    if not rows:
        return omit_section(key, title, [table], "No episode of this edition is scored.")
    scale = Scale(("share of scored episodes that are solved",), ends=(0, 1))
    floor = data.floor
    floors = {
        row["setting"]: (row[key], f"floor: {floor.player} {row[key]:.3f}")
        for row in rows
        if floor is not None and row["player"] == floor.player
    }
    printed = read_paper_values(data, key)

    def read(row: Record) -> list[Record]:
        paper = printed.get((row["setting"], row["player"]))
        return [read_estimate(row, key, "scored", more=_mark(data, row), paper=paper)]

    drawings = rows_by_setting(data, title, rows, read, scale, floors=floors)
    caption = (
        "Each point is a player's mean over instances of the share of scored runs that it solved. "
        f"{name_populations(rows)} {SCORED_EPISODES}"
    )
    if floor is not None and floors:
        caption += f" The dashed line is the floor. {floor.doc}"
    if any((row["setting"], row["player"]) in printed for row in rows):
        caption += PAPER_DOC
    return Section(key, title, caption, (table, *paper_tables(data)), drawings)


def _mark(data: ReportData, row: Record) -> str:
    mark = mark_player(data.floor, row)
    return f" ({mark})" if mark else ""


@figure("tokens", "Tokens per episode", TOKENS)
def token_rows(data: ReportData) -> Section:
    """Return the section of token use; left out where no episode has a token count."""
    key, title = token_rows.key, token_rows.title
    table = data.tables[key]
    rows = data.known_rows(key, "mean_tokens")
    if not rows:
        missing = "No episode of this edition has a token count: no model played in it."
        return omit_section(key, title, [table], missing)
    scale = Scale(("mean tokens per episode,", "prompts and replies together"), places=0)
    columns = ("mean_tokens", "episodes_with_tokens")
    drawings = rows_by_setting(data, title, rows, lambda row: [read_estimate(row, *columns)], scale)
    caption = (
        "Each point is the mean, over instances and their runs, of all tokens of a player's calls in a "
        "scored episode. "
        f"{name_populations(rows)} n is the number of scored episodes whose tokens are known. "
        "Only models have rows."
    )
    return Section(key, title, caption, (table,), drawings)


@figure("statuses", "Parse errors and other ends", STATUSES)
def status_rows(data: ReportData) -> Section:
    """Return the section of status rates; left out where every episode was solved."""
    key, title = status_rows.key, status_rows.title
    table = data.tables[key]
    rows = [row for row in data.known_rows(key, "status") if row["status"] in _ENDS]
    if not rows:
        return omit_unanalysed(key, title, [table])
    seen = {row["status"] for row in rows if row["share"]}
    if not seen:
        return omit_section(key, title, [table], "Every episode of this edition was solved.")
    drawings = rows_by_setting(
        data,
        title,
        [row for row in rows if row["status"] in seen],
        lambda row: [read_estimate(row, "share", "attempted", series=_ENDS[row["status"]])],
        Scale(("share of episodes",)),
    )
    absent = [name for status, name in _ENDS.items() if status not in seen]
    caption = (
        "Each point is the mean over instances of the share of a player's attempted episodes that ended so. "
        f"{name_populations(rows)} n is the number of attempted episodes."
        + (f" Never seen in this edition: {', '.join(absent)}." if absent else "")
    )
    return Section(key, title, caption, (table,), drawings)
