"""Accuracy and tokens from easy to hard and by level, a drawing per domain (the paper's figures 7 to 12)."""

from collections.abc import Iterator, Sequence

from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS
from perennial.tasks.report.content import (
    UNANALYSED,
    Content,
    Drawing,
    Query,
    Record,
    ReportData,
    figure,
    query_view,
)
from perennial.tasks.report.figures.chart import SERIES, Axes, draw_curves
from perennial.tasks.report.wording import decimals, span

_ALL = "all"
_RIGHT, _WRONG = "right", "wrong"
_NAMED = (
    f"The first {len(SERIES)} players by rank have colours; look for others by name. Lines through points "
    "are 95% intervals for questions that vary, a pair of texts counting once."
)


def _query(name: str, question: str, view: str = "") -> Query:
    return query_view(view or f"knowlogic_{name}", question, name=name, where="language = 'all'")


@figure(
    "Accuracy and difficulty",
    _query("difficulty", "Does accuracy fall from easy to hard questions in each domain?"),
    difficulty="effort",
)
def difficulty(data: ReportData, records: list[Record]) -> Content | str:
    """A drawing of all domains, and one of each."""
    rows = [
        {
            **row,
            "difficulty": name,
            "kind": "",
            **_figures(row, f"{name}_accuracy"),
            "n": row[f"{name}_questions"],
        }
        for row in records
        for name in DIFFICULTIES
        if row[f"{name}_accuracy"] is not None
    ]
    if not rows:
        return UNANALYSED
    return Content(
        "Each point is a player's accuracy on the questions of one class, both languages together. "
        "Classes come from the steps of the proof and the options to decide: the same class is not equally "
        f"hard in two domains. {_NAMED} n is the number of questions of a point, each in one language.",
        _draw_domains(data, difficulty.title, rows, "accuracy", 3),
    )


@figure(
    "Accuracy and difficulty by the paper's level",
    _query("level_classes", "Does accuracy fall from easy to hard by the paper's level?"),
    missing="The questions of this edition have no levels: it was imported, or not analysed.",
    difficulty="level",
)
def level_classes(data: ReportData, records: list[Record]) -> Content:
    """A drawing of each domain."""
    rows = [{**row, "kind": "", **_figures(row, "accuracy"), "n": row["questions"]} for row in records]
    cuts = {(row["domain"], row["difficulty"]): row["up_to"] for row in rows}
    listed = [f"{domain} {name} up to {decimals(up_to, 2)}" for (domain, name), up_to in cuts.items()]
    return Content(
        "The same accuracies with classes cut from the level of the paper's appendix D, which gives no cut "
        "points: these are levels of the edition's questions such that easy, medium and hard stand nearest "
        f"to 1:2:3 in each domain ({', '.join(listed)}). {_NAMED} n is the number of questions of a point.",
        _draw_domains(data, level_classes.title, rows, "accuracy", 3),
    )


_NO_TOKENS = "No reply of this edition has a token count: no model played in it."


@figure(
    "Tokens of right and wrong replies",
    _query(
        "reply_tokens",
        "Do replies to harder questions take more tokens, and wrong ones more than right ones?",
        "knowlogic_tokens",
    ),
    missing=_NO_TOKENS,
)
def reply_tokens(data: ReportData, records: list[Record]) -> Content | str:
    """By difficulty, right and wrong replies apart; none without models."""
    rows = _split_replies([row for row in records if row["difficulty"] != _ALL])
    if not rows:
        return _NO_TOKENS
    return Content(
        "Each point is the mean number of tokens of a player's replies, reasoning included, to the "
        "questions of one class: whole lines and discs are right replies, broken lines and crosses wrong "
        "ones. Which questions these are differs between the two. The table has the correlations of "
        f"tokens with the level within each domain, with 95% intervals. {_NAMED} n is the number of "
        "questions of a point. Programs have no tokens.",
        _draw_domains(data, reply_tokens.title, rows, "tokens per reply", 0),
    )


_NO_LEVELS = "No reply of this edition has a token count, or its questions have no levels."


@figure(
    "Tokens and level",
    _query("levels", "Do replies get longer, and right less often, as the level rises?"),
    missing=_NO_LEVELS,
)
def levels(data: ReportData, records: list[Record]) -> Content | str:
    """By band of the level, right and wrong replies apart."""
    rows = _split_replies([{**row, "difficulty": decimals(row["level"], 2)} for row in records])
    if not rows:
        return _NO_LEVELS
    return Content(
        "Each point is the mean number of tokens of a player's replies, reasoning included, to the "
        "questions of a band of the paper's level, a quarter wide and called by where it begins: whole "
        "lines and discs are right replies, broken lines and crosses wrong ones. Levels of two domains are "
        f"not comparable. The table has accuracy by band as well. {_NAMED} n is the number of questions of "
        "a point. Programs have no tokens.",
        _draw_domains(data, levels.title, rows, "tokens per reply", 0),
    )


def _split_replies(rows: Sequence[Record]) -> list[Record]:
    """A row for the tokens of right and of wrong replies, where there are any."""
    return [
        {**row, "kind": kind, **_figures(row, f"{kind}_tokens"), "n": row[f"{kind}_questions"]}
        for row in rows
        for kind in (_RIGHT, _WRONG)
        if row[f"{kind}_tokens"] is not None
    ]


def _figures(row: Record, column: str) -> Record:
    return {"value": row[column], "low": row[f"{column}_low"], "high": row[f"{column}_high"]}


def by_domain(rows: Sequence[Record]) -> Iterator[tuple[str, list[Record]]]:
    """The rows of those domains that have any, all together first, with the domain's name."""
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            yield "all domains" if domain == _ALL else domain, listed


def _draw_domains(
    data: ReportData, title: str, rows: Sequence[Record], what: str, places: int
) -> list[Drawing]:
    return [_draw(name, title, listed, data, what, places) for name, listed in by_domain(rows)]


def _draw(name: str, title: str, rows: Sequence[Record], data: ReportData, what: str, places: int) -> Drawing:
    names = {row["difficulty"] for row in rows}
    has_classes = names <= set(DIFFICULTIES)
    axes = Axes(
        "difficulty" if has_classes else "level",
        what,
        places,
        is_share=places > 0,
        x_title="" if has_classes else "level",
        order=DIFFICULTIES if has_classes else tuple(sorted(names, key=float)),
        is_dodged=True,
        kinds=() if places else (_RIGHT, _WRONG),
    )
    drawn = [{**row, "x": row["difficulty"]} for row in rows]
    heading = f"{name}, n = {span(row['n'] for row in rows)} per point"
    return draw_curves(heading, f"{title}: {name}", drawn, axes, data.players())
