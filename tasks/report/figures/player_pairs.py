"""Each two players of the edition on the instances that both played."""

from tasks.report.content import Grid, Record, ReportData, Section, omit_section, omit_unanalysed
from tasks.report.wording import clean, p_number, with_interval

_KEY = "player_pairs"
_TITLE = "Players in pairs"
_MOST_ROWS = 40


def player_pairs(data: ReportData) -> Section:
    """Return the section of paired comparisons, the largest differences of each setting first."""
    table = data.tables[_KEY]
    rows = table.records()
    if len({row["player"] for row in data.tables["headline"].records()}) < 2:
        return omit_section(_KEY, _TITLE, [table], "This edition has one player only.")
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    shown = [row for setting in data.settings for row in _largest(rows, setting, len(data.settings))]
    grid = Grid(
        ("setting", "player", "other player", "difference", "n", "McNemar p", "p (Holm)"),
        tuple(_cells(row) for row in shown),
        frozenset(range(3, 7)),
    )
    beyond = len(rows) - len(shown)
    caption = (
        "Difference is the first player's success rate minus the other's, over the instances that both "
        "played, with a 95% interval by bootstrap over instances; n counts these instances. p is McNemar's "
        "exact test on majority labels, and Holm's correction covers the pairs of one setting and kind of "
        "player: models, programs, controls (VARIANT:MODEL), training checkpoints, or two of these kinds."
        + (
            f" The largest differences are shown; {beyond:,} more pairs are in the exported table."
            if beyond
            else ""
        )
    )
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _largest(rows: list[Record], setting: str, n_settings: int) -> list[Record]:
    listed = [row for row in rows if row["setting"] == setting]
    return listed[: max(1, _MOST_ROWS // n_settings)]


def _cells(row: Record) -> tuple[str, ...]:
    return (
        clean(row["setting"]),
        clean(row["player"]),
        clean(row["other_player"]),
        with_interval(row["difference"], row["low"], row["high"]),
        f"{row['instances']:,}",
        p_number(row["mcnemar_p"]),
        p_number(row["mcnemar_p_holm"]),
    )
