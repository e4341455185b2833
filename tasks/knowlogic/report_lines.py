"""Accuracy and tokens from easy to hard and by level, a drawing per domain (the paper's figures 7 to 12)."""

from collections.abc import Sequence

from perennial.schemas.knowlogic.things import DIFFICULTIES, DOMAINS
from perennial.tasks.report.content import (
    Drawing,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
)
from perennial.tasks.report.figures.chart import SERIES, Axes, draw_curves
from perennial.tasks.report.wording import decimals, span

DIFFICULTY = Query(
    "difficulty",
    """
-- Does accuracy fall from easy to hard questions in each domain?
SELECT * EXCLUDE (edition)
FROM knowlogic_difficulty
WHERE edition = $edition AND language = 'all'
""",
)

LEVEL_CLASSES = Query(
    "level_classes",
    """
-- Does accuracy fall from easy to hard by the paper's level?
SELECT * EXCLUDE (edition)
FROM knowlogic_level_classes
WHERE edition = $edition AND language = 'all'
""",
)

REPLY_TOKENS = Query(
    "reply_tokens",
    """
-- Do replies to harder questions take more tokens, and wrong ones more than right ones?
SELECT * EXCLUDE (edition)
FROM knowlogic_tokens
WHERE edition = $edition AND language = 'all'
""",
)

LEVELS = Query(
    "levels",
    """
-- Do replies get longer, and right less often, as the level rises?
SELECT * EXCLUDE (edition)
FROM knowlogic_levels
WHERE edition = $edition AND language = 'all'
""",
)

_ALL = "all"
_RIGHT, _WRONG = "right", "wrong"
_NAMED = (
    f"The first {len(SERIES)} players by rank have colours; look for others by name. Lines through points "
    "are 95% intervals for questions that vary, a pair of texts counting once."
)


@figure("difficulty", "Accuracy and difficulty", DIFFICULTY, difficulty="effort")
def difficulty(data: ReportData) -> Section:
    """The section of accuracy by difficulty: a drawing of all domains, and one of each."""
    key, title = difficulty.key, difficulty.title
    table = data.tables[key]
    rows = [
        {
            **row,
            "difficulty": name,
            "kind": "",
            **_figures(row, f"{name}_accuracy"),
            "n": row[f"{name}_questions"],
        }
        for row in table.records()
        for name in DIFFICULTIES
        if row[f"{name}_accuracy"] is not None
    ]
    if not rows:
        return omit_unanalysed(key, title, [table])
    drawings = _by_domain(data, title, rows, "accuracy", 3)
    caption = (
        "Each point is a player's accuracy on the questions of one class, both languages together. "
        "Classes come from the steps of the proof and the options to decide: the same class is not equally "
        f"hard in two domains. {_NAMED} n is the number of questions of a point, each in one language."
    )
    return Section(key, title, caption, (table,), drawings)


@figure("level_classes", "Accuracy and difficulty by the paper's level", LEVEL_CLASSES, difficulty="level")
def level_classes(data: ReportData) -> Section:
    """The section of accuracy by classes of the level: a drawing of each domain."""
    key, title = level_classes.key, level_classes.title
    table = data.tables[key]
    rows = [
        {**row, "kind": "", **_figures(row, "accuracy"), "n": row["questions"]} for row in table.records()
    ]
    if not rows:
        missing = "The questions of this edition have no levels: it was imported, or not analysed."
        return omit_section(key, title, [table], missing)
    cuts = {(row["domain"], row["difficulty"]): row["up_to"] for row in rows}
    listed = [f"{domain} {name} up to {decimals(up_to, 2)}" for (domain, name), up_to in cuts.items()]
    caption = (
        "The same accuracies with classes cut from the level of the paper's appendix D, which gives no cut "
        "points: these are levels of the edition's questions such that easy, medium and hard stand nearest "
        f"to 1:2:3 in each domain ({', '.join(listed)}). {_NAMED} n is the number of questions of a point."
    )
    return Section(key, title, caption, (table,), _by_domain(data, title, rows, "accuracy", 3))


@figure("reply_tokens", "Tokens of right and wrong replies", REPLY_TOKENS)
def reply_tokens(data: ReportData) -> Section:
    """The section of tokens by difficulty, right and wrong replies apart; none without models."""
    key, title = reply_tokens.key, reply_tokens.title
    table = data.tables[key]
    rows = [
        {**row, "kind": kind, **_figures(row, f"{kind}_tokens"), "n": row[f"{kind}_questions"]}
        for row in table.records()
        for kind in (_RIGHT, _WRONG)
        if row["difficulty"] != _ALL and row[f"{kind}_tokens"] is not None
    ]
    if not rows:
        missing = "No reply of this edition has a token count: no model played in it."
        return omit_section(key, title, [table], missing)
    drawings = _by_domain(data, title, rows, "tokens per reply", 0)
    caption = (
        "Each point is the mean number of tokens of a player's replies, reasoning included, to the "
        "questions of one class: whole lines and discs are right replies, broken lines and crosses wrong "
        "ones. Which questions these are differs between the two. The table has the correlations of "
        f"tokens with the level within each domain, with 95% intervals. {_NAMED} n is the number of "
        "questions of a point. Programs have no tokens."
    )
    return Section(key, title, caption, (table,), drawings)


@figure("levels", "Tokens and level", LEVELS)
def levels(data: ReportData) -> Section:
    """The section of tokens by band of the level, right and wrong replies apart."""
    key, title = levels.key, levels.title
    table = data.tables[key]
    rows = [
        {
            **row,
            "difficulty": decimals(row["level"], 2),
            "kind": kind,
            **_figures(row, f"{kind}_tokens"),
            "n": row[f"{kind}_questions"],
        }
        for row in table.records()
        for kind in (_RIGHT, _WRONG)
        if row[f"{kind}_tokens"] is not None
    ]
    if not rows:
        missing = "No reply of this edition has a token count, or its questions have no levels."
        return omit_section(key, title, [table], missing)
    drawings = _by_domain(data, title, rows, "tokens per reply", 0)
    caption = (
        "Each point is the mean number of tokens of a player's replies, reasoning included, to the "
        "questions of a band of the paper's level, a quarter wide and called by where it begins: whole "
        "lines and discs are right replies, broken lines and crosses wrong ones. Levels of two domains are "
        f"not comparable. The table has accuracy by band as well. {_NAMED} n is the number of questions of "
        "a point. Programs have no tokens."
    )
    return Section(key, title, caption, (table,), drawings)


def _figures(row: Record, column: str) -> Record:
    return {"value": row[column], "low": row[f"{column}_low"], "high": row[f"{column}_high"]}


def _by_domain(
    data: ReportData, title: str, rows: Sequence[Record], what: str, places: int
) -> tuple[Drawing, ...]:
    """The drawings of those domains that have rows, all together first."""
    drawings = []
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            drawings.append(
                _draw(f"{domain} domains" if domain == _ALL else domain, title, listed, data, what, places)
            )
    return tuple(drawings)


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
