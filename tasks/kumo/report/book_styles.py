"""How well players do with the template's books by their style."""

from perennial.tasks.report.content import Grid, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import clean, with_interval

BOOK_STYLES = Query(
    "book_styles",
    """
-- Is a book harder to read in one style than in another?
SELECT setting, style, player, instances, success_rate, success_rate_low, success_rate_high
FROM book_style_scores
WHERE edition = $edition
ORDER BY setting, style, player
""",
)

_KEY = "book_styles"
_TITLE = "Styles of books"


@figure(_KEY, _TITLE, BOOK_STYLES)
def book_styles(data: ReportData) -> Section:
    """Return the section of success rates by style: a row per setting and style, a column per player."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        return omit_section(_KEY, _TITLE, [table], "No player was shown a book that the template wrote.")
    players = [name for name in data.players() if any(row["player"] == name for row in rows)]
    cells = {(row["setting"], row["style"], row["player"]): row for row in rows}
    counts = {(row["setting"], row["style"]): row["instances"] for row in rows}
    places = {setting: place for place, setting in enumerate(data.settings)}
    lines = []
    for setting, style in sorted(counts, key=lambda key: (places.get(key[0], len(places)), key)):
        found = [cells.get((setting, style, player)) for player in players]
        rates = map(_rate, found)
        lines.append((clean(setting), clean(style), f"{counts[setting, style]:,}", *rates))
    caption = (
        "Success rate of each player by the style of the book that it was shown; n is the number of "
        "instances with such a book. All styles say the same rules, and each instance's is drawn, so that "
        "a difference beyond the 95% intervals (Wilson's for n instances) is one of reading."
    )
    headings = ("setting", "style", "n", *map(clean, players))
    grid = Grid(headings, tuple(lines), frozenset(range(2, len(headings))))
    return Section(_KEY, _TITLE, caption, (table,), grid=grid)


def _rate(row: Record | None) -> str:
    return (
        ""
        if row is None
        else with_interval(row["success_rate"], row["success_rate_low"], row["success_rate_high"])
    )
