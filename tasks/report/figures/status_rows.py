"""How episodes that were not solved ended, for each player and setting."""

from tasks.report.content import Record, ReportData, Section, omit_section, omit_unanalysed
from tasks.report.figures.interval_rows import Estimate, Scale, read_estimate, rows_by_setting

_KEY = "statuses"
_TITLE = "Parse errors and other ends"
_ENDS = {
    "wrong": "wrong answer",
    "unparsed": "parse error",
    "truncated": "reply cut off",
    "refused": "refused",
    "turn_limit": "turn limit",
    "api_error": "API error",
}


def status_rows(data: ReportData) -> Section:
    """Return the section of status rates; left out where every episode was solved."""
    table = data.tables[_KEY]
    rows = [row for row in data.known_rows(_KEY, "status") if row["status"] in _ENDS]
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    seen = {row["status"] for row in rows if row["share"]}
    if not seen:
        return omit_section(_KEY, _TITLE, [table], "Every episode of this edition was solved.")
    shown = [row for row in rows if row["status"] in seen]
    drawings = rows_by_setting(data, _TITLE, shown, _estimates, Scale(("share of episodes",)))
    absent = [name for status, name in _ENDS.items() if status not in seen]
    caption = (
        "Each point is the mean over instances of the share of a player's attempted episodes that ended so. "
        "95% intervals are for instances that vary; n is the number of attempted episodes."
        + (f" Never seen in this edition: {', '.join(absent)}." if absent else "")
    )
    return Section(_KEY, _TITLE, caption, (table,), drawings)


def _estimates(row: Record) -> list[Estimate]:
    return [read_estimate(row, "share", "attempted", "low", "high", series=_ENDS[row["status"]])]
