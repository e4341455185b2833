"""Why answers are right or wrong, as analysts say: shares of categories, and how far the analysts agree."""

from collections.abc import Sequence

from perennial.schemas.analysts import AnalysisForm
from perennial.tasks.report.content import (
    Content,
    Drawing,
    Figure,
    Query,
    Record,
    ReportData,
    figure,
    query_view,
)
from perennial.tasks.report.figures.chart import Bar, ShareLabels, stacked_shares
from perennial.tasks.report.wording import clean, decimals, span, with_interval
from perennial.tasks.statistics.cells import ALL

AGREEMENT = query_view("analyst_agreement", "How far do analysts agree?")


def analysed_answers(failures: Query, form: AnalysisForm, title: str, more: str = "") -> Figure:
    """The section of what analysts say: for each a drawing of wrong answers and one of right ones.

    The query's rows have analyst, player, outcome, what, value, answers and share; `more` ends the caption.
    """

    @figure(title, failures, AGREEMENT, missing="")
    def show(data: ReportData, rows: list[Record]) -> Content | str:
        agreement = data.tables[AGREEMENT.name]
        rows = [row for row in rows if row["what"] == "category"]
        if not rows:
            return "No model analysed these answers: perennial evaluate with --analysts names some that do."
        drawings = []
        for analyst in sorted({row["analyst"] for row in rows}):
            for outcome in ("wrong", "right"):
                with_outcome = [row for row in rows if (row["analyst"], row["outcome"]) == (analyst, outcome)]
                if with_outcome:
                    kinds = form.categories(outcome == "right")
                    drawings.append(_draw(title, kinds, (analyst, outcome), with_outcome, data.players()))
        either = "right or wrong" if form.right else "wrong"
        caption = (
            "A model, the analyst, is shown a question with what is right of it and a player's reply, and "
            f"says why the answer is {either}, as a program has settled it. Each bar is the shares of the "
            "categories among the player's analysed answers, drawn at random, at most the plan's number per "
            f"outcome. {_describe_agreement(agreement.records())} Programs give no reasoning and are not "
            f"analysed. n is the number of answers that were analysed.{more}"
        )
        return Content(caption, drawings)

    return show


def _describe_agreement(rows: Sequence[Record]) -> str:
    texts = [
        f"{with_interval(row['alpha'], row['alpha_low'], row['alpha_high'], 2)} on {words}"
        for what, words in (("category", "categories"), ("style", "styles of reasoning"))
        for row in rows
        if (row["player"], row["what"]) == (ALL, what)
    ]
    if not texts:
        return "With one analyst there is no agreement to measure."
    return (
        f"Krippendorff's alpha between analysts (1: they agree, 0: as chance has it) is {', '.join(texts)}."
    )


def _draw(
    title: str, kinds: Sequence[str], whose: tuple[str, str], rows: Sequence[Record], players: Sequence[str]
) -> Drawing:
    analyst, outcome = whose
    bars = []
    for player in sorted({row["player"] for row in rows}, key=str.casefold):
        rows_of_player = {row["value"]: row for row in rows if row["player"] == player}
        shares = {kind: (row["share"], decimals(row["share"])) for kind, row in rows_of_player.items()}
        last = -rows_of_player[kinds[-1]]["share"] if kinds[-1] in rows_of_player else 0.0
        bars.append(Bar(player, shares, sum(row["answers"] for row in rows_of_player.values()), last))
    heading = f"{outcome} answers, as {clean(analyst)} says, n = {span(bar.n for bar in bars)} per player"
    labels = ShareLabels(tuple(kinds), "category", "share", f"share of analysed {outcome} answers", columns=1)
    return stacked_shares(heading, f"{title}: {outcome}, {analyst}", bars, labels, players)
