"""KnowLogic's own sections of the report."""

from collections.abc import Sequence

from perennial.schemas.knowlogic.things import (
    ANALYSIS,
    DIFFICULTIES,
    DOMAINS,
    ERROR_CLASSES,
    LANGUAGES,
    QUESTION_TYPES,
)
from perennial.tasks.knowlogic.report_lines import by_domain, difficulty, level_classes, levels, reply_tokens
from perennial.tasks.report.content import (
    Content,
    Drawing,
    Figure,
    Grid,
    Query,
    Record,
    Report,
    ReportData,
    figure,
    query_view,
    table_figure,
)
from perennial.tasks.report.figures.analysts import analysed_answers
from perennial.tasks.report.figures.chart import Bar, Map, ShareLabels, draw_fields, stacked_shares
from perennial.tasks.report.figures.costs import tool_gaps
from perennial.tasks.report.figures.interval_rows import (
    PAPER_DOC,
    PAPER_SCORES,
    Scale,
    draw_beside_paper,
    interval_rows,
    read_estimate,
)
from perennial.tasks.report.wording import (
    brackets,
    clean,
    decimals,
    p_text,
    percent_cell,
    span,
    with_interval,
)

# What is wrong about wrong replies: the shares of error classes, and of replies without letters.

_ALL = "all"
_UNREAD = "no letters"
_KINDS = (*ERROR_CLASSES, _UNREAD)


@figure(
    "Classes of wrong replies",
    query_view(
        "knowlogic_errors",
        "What is wrong about wrong letters?",
        name="errors",
        where="language = 'all' AND difficulty = 'all'",
    ),
)
def error_classes(data: ReportData, rows: list[Record]) -> Content | str:
    """A drawing of all domains, and one of each."""
    if all(row["accuracy"] == 1 for row in rows):
        return "Every reply of this edition is right."
    players = data.players()
    drawings = [_draw_errors(name, listed, players) for name, listed in by_domain(rows)]
    return Content(
        "Each bar is the share of a player's scored replies that are wrong, by what their letters are to "
        "the right ones: subset, some right ones are missing and none is wrong; superset, wrong ones were "
        "added; overlap, both; disjoint, none is right; and no letters, where none could be read. A "
        "question with one right letter has no subset, one with four no superset. What is left to 1 is "
        "right. Point to a part to read its share with its 95% interval; n is the number of questions, "
        "each in one language.",
        drawings,
    )


def _draw_errors(name: str, rows: Sequence[Record], players: Sequence[str]) -> Drawing:
    bars = [
        Bar(row["player"], {kind: _share(row, kind) for kind in _KINDS}, row["questions"], row["accuracy"])
        for row in rows
    ]
    heading = f"{name}, n = {span(row['questions'] for row in rows)} per player"
    labels = ShareLabels(_KINDS, "wrong letters", "share [95%]", "share of scored replies")
    return stacked_shares(heading, f"{error_classes.title}: {name}", bars, labels, players)


def _share(row: Record, kind: str) -> tuple[float, str]:
    column = "unextracted_rate" if kind == _UNREAD else kind
    low, high = (row.get(f"{column}_{end}") for end in ("low", "high"))
    return row[column], with_interval(row[column], low, high)


# Accuracy as fields, players by scenario and by question type (the paper's figures 5 and 6).

_LEGEND = (
    "Dark is 0, light is 1, empty is not scored. Where there is room its number is written in it, with "
    "the 95% interval for questions that vary, a pair of texts counting once; point to a field to read "
    "both. n is the number of questions of a field, each in one language."
)
_NO_LABELS = (
    "The questions of this edition have no labels: it was imported, or perennial analyse has not run."
)
_LABELS = {
    "type": "question type",
    "precision": "precision",
    "right_letters": "number of right letters",
    "slots": "number of slots in space",
    "slots_precision": "number of slots and precision in space",
}


@figure(
    "Accuracy by scenario",
    query_view(
        "knowlogic_scenarios",
        "Which scenarios are hard for whom?",
        name="scenarios",
        where="language = 'all'",
    ),
    missing=_NO_LABELS,
)
def scenarios(data: ReportData, rows: list[Record]) -> Content:
    """A drawing per domain."""

    def draw(domain: str, listed: list[Record]) -> Drawing:
        names = sorted({row["scenario"] for row in listed})
        return _draw(domain, scenarios.title, listed, "scenario", names, data.players())

    return Content(
        "Each field is a player's accuracy on the questions of a scenario, both languages together. "
        f"Scenarios may differ in their questions' difficulty too. {_LEGEND}",
        [draw(domain, listed) for domain, listed in by_domain(rows)],
    )


@figure(
    "Accuracy by question type",
    query_view(
        "knowlogic_types",
        "Does it matter how a question is asked, and how many letters are right?",
        name="types",
        where="language = 'all' AND domain = 'all' AND label <> 'chain_length'",
    ),
    missing=_NO_LABELS,
)
def types(data: ReportData, rows: list[Record]) -> Content:
    """By question type, precision and number of right letters."""
    drawings = []
    for label, words in _LABELS.items():
        listed = [row for row in rows if row["label"] == label]
        if listed:
            values = {row["value"] for row in listed}
            types_first = [name for name in QUESTION_TYPES if name in values]
            names = types_first + sorted(values.difference(types_first))
            drawings.append(_draw(words, types.title, listed, "value", names, data.players()))
    return Content(
        "Each field is a player's accuracy on the questions of one kind, all domains and both languages "
        "together: by what is asked for, by whether it fits one choice (precise) or may fit several (vague), "
        "by how many letters are right, and in space by how many slots the statements name (5: one of six "
        f"things is not named), also with their precision. {_LEGEND}",
        drawings,
    )


def _draw(
    name: str, title: str, rows: Sequence[Record], column: str, names: Sequence[str], players: Sequence[str]
) -> Drawing:
    drawn = [
        {
            "player": row["player"],
            "column": row[column].replace("_", " "),
            "rate": row["accuracy"],
            "low": row["accuracy_low"],
            "high": row["accuracy_high"],
            "n": row["questions"],
        }
        for row in rows
    ]
    columns = [name.replace("_", " ") for name in names]
    heading = f"{name}, n = {span(row['questions'] for row in rows)} per field"
    return draw_fields(heading, f"{title}: {name}", drawn, columns, players, Map("accuracy", "questions"))


# Each player on the same questions in two languages.


@figure(
    "Chinese and English",
    query_view(
        "knowlogic_languages",
        "In which language does a player answer the same questions better?",
        name="languages",
    ),
    missing="No player has scored answers to both texts of a question.",
)
def languages(data: ReportData, rows: list[Record]) -> Content:
    """Paired differences: a drawing of all domains, and one of each."""
    scale = Scale(("accuracy in Chinese minus in English", "on the same questions"), has_zero_line=True)

    def draw(name: str, listed: list[Record]) -> Drawing:
        drawn = [
            read_estimate(row, "difference", "pairs", more=f", {p_text(row['p_adjusted'])}") for row in listed
        ]
        heading = f"{name}, n = {span(row['pairs'] for row in listed)} pairs per player"
        return interval_rows(heading, f"{languages.title}: {name}", drawn, scale, data.players())

    return Content(
        "Each point is the mean over pairs of a player's accuracy on the Chinese text of a question minus "
        "that on its English text: right of the line Chinese is better. Only pairs with scored answers in "
        "both languages count, n of them. 95% intervals and p are by pair, for other questions of these "
        "domains; p is adjusted by Holm: over all domains one family of models, over the single domains "
        "another; programs are no part of these. A difference is one of texts and readers together: it does "
        "not say which of them is the cause.",
        [draw(name, listed) for name, listed in by_domain(rows)],
    )


# The leaderboard in the columns of the paper's table 5: the best accuracy bold, the second underlined.

_HEADINGS = {"zh": "Chinese", "en": "English"}


@figure(
    "Domains and languages",
    query_view(
        "knowlogic_leaderboard",
        "Which player answers how much of each domain in each language, and on average?",
        name="leaderboard",
    ),
    PAPER_SCORES,
)
def leaderboard(data: ReportData, rows: list[Record]) -> Content:
    """A row per player, a column per domain and language, average."""
    rows = data.group_rows(rows)
    is_program = [data.is_program(row["player"]) for row in rows]
    # An edition may have some domains, or one language.
    groups = {
        domain: [
            f"{domain}_{language}_accuracy"
            for language in LANGUAGES
            if any(row[f"{domain}_{language}_accuracy"] is not None for row in rows)
        ]
        for domain in DOMAINS
    }
    groups = {domain: columns for domain, columns in groups.items() if columns}
    columns = [column for listed in groups.values() for column in listed] + ["average"]
    headings = [_HEADINGS[column.split("_")[1]] for column in columns[:-1]]
    best, second = _mark(rows, columns, is_program)
    grid = Grid(
        ("player", *headings, "average", "unextracted"),
        tuple(
            (
                clean(row["player"]),
                *(percent_cell(row, column) for column in columns),
                percent_cell(row, "unextracted_rate", has_interval=False),
            )
            for row in rows
        ),
        frozenset(range(1, len(columns) + 2)),
        (("", 1), *((domain.capitalize(), len(listed)) for domain, listed in groups.items()), ("All", 2)),
        best,
        second,
    )
    who = "players" if all(is_program) else "models"
    caption = (
        "Each number is the percentage of scored replies with exactly the right letters: no partial "
        "credit, and a reply from which no letters could be read is wrong; unextracted is the percentage "
        "of these. The average is the unweighted mean of the columns before it, empty where a player has "
        "no answer in one of them. Brackets hold 95% intervals for questions that vary: in one column by "
        "question, and of the average by pairs, as the two texts of one question are no independent "
        "draws. Bold is the best of a column, underlined the "
        f"second, among {who}."
    )
    drawings = draw_beside_paper(
        data,
        rows,
        f"{leaderboard.title}: average",
        "average_paper",
        "questions",
        figure="average",
        part="average over the paper's nine columns",
        unit="questions",
        axis="average of domains and languages",
    )
    caption += PAPER_DOC if drawings else ""
    return Content(caption, drawings, grid)


def _mark(
    rows: Sequence[Record], columns: Sequence[str], is_program: Sequence[bool]
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    """The places of the best and second accuracies; equal ones share them."""
    ranked = [row for row in range(len(rows)) if not is_program[row] or all(is_program)]
    best_two: tuple[set[tuple[int, int]], set[tuple[int, int]]] = (set(), set())
    for number, column in enumerate(columns, start=1):
        values = {row: round(value, 9) for row in ranked if (value := rows[row][column]) is not None}
        for marked, value in zip(best_two, sorted(set(values.values()), reverse=True), strict=False):
            marked |= {(row, number) for row, accuracy in values.items() if accuracy == value}
    return frozenset(best_two[0]), frozenset(best_two[1])


# The mean accuracy of the models from easy to hard, by domain and language (the paper's figure 4).

_LANGUAGES = {"all": "both", "zh": "Chinese", "en": "English"}


def _model_means(title: str, classes: str, words: str) -> Figure:
    """The mean of all models by classes of effort (ours) or level; none without models or levels."""
    query = Query(
        f"{'model' if classes == 'effort' else classes}_means",
        f"""
-- How well do the models do on average, from easy to hard, by classes of {classes}?
SELECT * EXCLUDE (edition, classes)
FROM knowlogic_model_means
WHERE edition = $edition AND classes = '{classes}'
""",
    )
    missing = "No model played in this edition, or it has no such classes."
    declare = figure(title, query, missing=missing, difficulty=classes)
    return declare(lambda _, rows: _tabulate_means(rows, words))


model_means = _model_means("Mean of the models", "effort", "Classes are ours, by effort")
level_means = _model_means(
    "Mean of the models by the paper's level", "level", "Classes are those of the paper's level"
)


def _tabulate_means(rows: Sequence[Record], classes: str) -> Content:
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        mean, low, high = (
            decimals(100 * row[f"{which}_accuracy"], 1) for which in ("mean", "lowest", "highest")
        )
        cell = row["domain"], row["language"]
        cells.setdefault(cell, {})[row["difficulty"]] = f"{mean} {brackets(low, high)}, {row['models']}"
    listed = [name for name in (*DIFFICULTIES, "all") if any(name in means for means in cells.values())]
    grid = Grid(
        ("domain", "language", *("all classes" if name == "all" else name for name in listed)),
        tuple(
            (domain, _LANGUAGES[language], *(means.get(name, "") for name in listed))
            for (domain, language), means in cells.items()
        ),
        frozenset(range(2, 2 + len(listed))),
    )
    caption = (
        "Each number is the unweighted mean over the models of the percentage of replies with exactly the "
        "right letters; brackets hold the lowest and the highest model, and the number of models follows. "
        f"{classes}; of two domains they are not comparable."
    )
    return Content(caption, grid=grid)


FAILURES = Query(
    "knowlogic_failures",
    """
-- Why are letters wrong, as each analyst says?
SELECT analyst, player, 'wrong' AS outcome, 'category' AS what, value, answers, share
FROM knowlogic_failures
WHERE edition = $edition AND domain = 'all' AND language = 'all'
""",
)

failures = analysed_answers(
    FAILURES,
    ANALYSIS,
    "Why letters are wrong",
    " The categories are those of the paper's section 5.2, which gives examples of them and no shares; Other "
    "is none of them. Replies without letters are not analysed.",
)


# What KnowLogic adds to the report: the paper's table 5 and figures 4 to 12, paired languages, errors.

DIFFICULTY_ORDER = Query(
    "difficulties",
    """
-- Which difficulties does the edition have, from easy to hard?
SELECT DISTINCT difficulty AS setting, list_position(['easy', 'medium', 'hard'], difficulty) AS place
FROM knowlogic_questions
WHERE edition = $edition
ORDER BY place
""",
)

_EXPLORED = {
    "knowlogic_scores": ("By difficulty", "How does each player do by domain, language and difficulty?"),
    "knowlogic_scenarios": ("By scenario", "How does each player do in each scenario, by language?"),
    "knowlogic_types": ("By question type", "How does each player do by type and number of right letters?"),
    "knowlogic_properties": ("By property and relation", "Which properties and relations are hard?"),
    "knowlogic_errors": ("Errors", "What is wrong about wrong letters, by language and difficulty?"),
    "knowlogic_tokens": ("Tokens", "How long are right and wrong replies, by language?"),
    "knowlogic_levels": ("By level", "How does each player do by level, in each language?"),
}
_CAPTION = (
    "Accuracy is over questions, each in one language, with exactly the right letters. Intervals (95%) are "
    "for questions that vary, the two texts of a pair counting once."
)


def _explore(view: str, title: str, question: str) -> Figure:
    """The table of a view with all languages and classes, of which the report shows a part."""
    sql = f"-- {question}\nSELECT * EXCLUDE (edition)\nFROM {view}\nWHERE edition = $edition"
    return table_figure(view, f"{title}, all languages", _CAPTION, Query(view, sql))


REPORT = Report(
    after_rates=(
        leaderboard,
        model_means,
        level_means,
        difficulty,
        level_classes,
        scenarios,
        types,
        tool_gaps,
    ),
    at_end=(reply_tokens, levels, languages, error_classes, failures),
    sources=(DIFFICULTY_ORDER,),
    order=DIFFICULTY_ORDER,
    explored=tuple(_explore(view, *texts) for view, texts in _EXPLORED.items()),
)
