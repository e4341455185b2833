"""Each player on the same questions in two languages."""

from perennial.schemas.knowlogic.things import DOMAINS
from perennial.tasks.report.content import Query, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.interval_rows import Scale, interval_rows, read_estimate
from perennial.tasks.report.wording import p_text, span

LANGUAGES = Query(
    "languages",
    """
-- In which language does a player answer the same questions better?
SELECT * EXCLUDE (edition)
FROM knowlogic_languages
WHERE edition = $edition
""",
)

_KEY = "languages"
_TITLE = "Chinese and English"
_ALL = "all"


@figure(_KEY, _TITLE, LANGUAGES)
def languages(data: ReportData) -> Section:
    """Return the section of paired differences: a drawing of all domains, and one of each."""
    table = data.tables[_KEY]
    rows = table.records()
    if not rows:
        missing = "No player has scored answers to both texts of a question."
        return omit_section(_KEY, _TITLE, [table], missing)
    scale = Scale(("accuracy in Chinese minus in English", "on the same questions"), has_zero_line=True)
    drawings = []
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            name = "all domains" if domain == _ALL else domain
            drawn = [
                read_estimate(row, "difference", "pairs", more=f", {p_text(row['p_adjusted'])}")
                for row in listed
            ]
            heading = f"{name}, n = {span(row['pairs'] for row in listed)} pairs per player"
            drawings.append(interval_rows(heading, f"{_TITLE}: {name}", drawn, scale, data.players()))
    caption = (
        "Each point is the mean over pairs of a player's accuracy on the Chinese text of a question minus "
        "that on its English text: right of the line Chinese is better. Only pairs with scored answers in "
        "both languages count, n of them. 95% intervals are Student's over pairs; where fewer than 10 "
        "pairs' worth differ they join Clopper and Pearson's of gains and losses. p is McNemar's exact "
        "test of the pairs solved in one language alone, adjusted by Holm: over all domains one family of "
        "models, over the single domains another; programs are no part of these. A difference is one of "
        "texts and readers together: it does not say which of them is the cause."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))
