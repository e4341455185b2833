"""Why answers are right or wrong, as analysts say: shares of categories, and how far the analysts agree."""

from collections.abc import Sequence

from perennial.schemas.a2rbench.analysis import categories_of
from perennial.tasks.report.content import Drawing, Query, Record, ReportData, Section, figure, omit_section
from perennial.tasks.report.figures.stacked_shares import Bar, Labels, stacked_shares
from perennial.tasks.report.wording import clean, decimals, span, with_interval

FAILURES = Query(
    "a2rbench_failures",
    """
-- Why are answers right or wrong, and how do players reason, as each analyst says?
SELECT analyst, player, outcome, what, value, answers, share
FROM a2rbench_failures
WHERE edition = $edition AND domain = 'all' AND variation = 'all'
""",
)

AGREEMENT = Query(
    "a2rbench_agreement",
    """
-- How far do analysts agree?
SELECT * EXCLUDE (edition)
FROM a2rbench_agreement
WHERE edition = $edition
""",
)

_KEY, _AGREEMENT = "a2rbench_failures", "a2rbench_agreement"
_TITLE = "Why answers are right or wrong"
_ALL = "all"
_OUTCOMES = ("wrong", "right")


@figure(_KEY, _TITLE, FAILURES, AGREEMENT)
def failures(data: ReportData) -> Section:
    """Return the section: for each analyst a drawing of wrong answers and one of right ones."""
    table, agreement = data.tables[_KEY], data.tables[_AGREEMENT]
    rows = [row for row in table.records() if row["what"] == "category"]
    if not rows:
        missing = "No model analysed these answers: perennial evaluate with --analysts names some that do."
        return omit_section(_KEY, _TITLE, [table], missing)
    drawings = []
    for analyst in sorted({row["analyst"] for row in rows}):
        for outcome in _OUTCOMES:
            own = [row for row in rows if (row["analyst"], row["outcome"]) == (analyst, outcome)]
            if own:
                drawings.append(_draw(analyst, outcome, own, data.players()))
    caption = (
        "A model, the analyst, is shown an item with its rule and a player's reply, and says why the answer "
        "is right or wrong; whether it is was settled by a program. Each bar is the shares of the categories "
        "among those analysed answers of the player, at most so many per player and outcome, drawn by lot. "
        f"{_agreement(agreement.records())} Programs give no reasoning and are not analysed. n is the number "
        "of answers that were analysed."
    )
    return Section(_KEY, _TITLE, caption, (table, agreement), tuple(drawings))


def _agreement(rows: Sequence[Record]) -> str:
    told = [
        f"{with_interval(row['alpha'], row['alpha_low'], row['alpha_high'], 2)} on {words}"
        for what, words in (("category", "categories"), ("style", "styles of reasoning"))
        for row in rows
        if (row["player"], row["what"]) == (_ALL, what)
    ]
    if not told:
        return "With one analyst there is no agreement to measure."
    return f"Krippendorff's alpha between analysts (1: they agree, 0: as chance has it) is {', '.join(told)}."


def _draw(analyst: str, outcome: str, rows: Sequence[Record], players: Sequence[str]) -> Drawing:
    kinds = categories_of(outcome == "right")
    bars = []
    for player in sorted({row["player"] for row in rows}, key=str.casefold):
        own = {row["value"]: row for row in rows if row["player"] == player}
        shares = {kind: (row["share"], decimals(row["share"])) for kind, row in own.items()}
        last = -own[kinds[-1]]["share"] if kinds[-1] in own else 0.0
        bars.append(Bar(player, shares, sum(row["answers"] for row in own.values()), last))
    heading = f"{outcome} answers, as {clean(analyst)} says, n = {span(bar.n for bar in bars)} per player"
    labels = Labels(tuple(kinds), "category", "share", f"share of analysed {outcome} answers", columns=1)
    return stacked_shares(heading, f"{_TITLE}: {outcome}, {analyst}", bars, labels, players)
