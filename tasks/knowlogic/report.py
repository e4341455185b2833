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
from perennial.tasks.knowlogic.report_lines import difficulty, level_classes, levels, reply_tokens
from perennial.tasks.report.content import (
    Drawing,
    Figure,
    Grid,
    Query,
    Record,
    Report,
    ReportData,
    Section,
    figure,
    omit_section,
    omit_unanalysed,
    table_figure,
)
from perennial.tasks.report.figures.analysts import analysed_answers
from perennial.tasks.report.figures.chart import Bar, Map, ShareLabels, draw_fields, stacked_shares
from perennial.tasks.report.figures.costs import tool_gaps
from perennial.tasks.report.figures.interval_rows import (
    PAPER_DOC,
    PAPER_SCORES,
    Scale,
    interval_rows,
    paper_tables,
    read_estimate,
    read_paper_values,
)
from perennial.tasks.report.wording import brackets, clean, decimals, p_text, span, with_interval

# What is wrong about wrong replies: the shares of error classes, and of replies without letters.


ERRORS = Query(
    "errors",
    """
-- What is wrong about wrong letters?
SELECT * EXCLUDE (edition)
FROM knowlogic_errors
WHERE edition = $edition AND language = 'all' AND difficulty = 'all'
""",
)

_KEY_ERRORS = "errors"
_TITLE_ERRORS = "Classes of wrong replies"
_ALL = "all"
_UNREAD = "no letters"
_KINDS = (*ERROR_CLASSES, _UNREAD)


@figure(_KEY_ERRORS, _TITLE_ERRORS, ERRORS)
def error_classes(data: ReportData) -> Section:
    """The section of error classes: a drawing of all domains, and one of each."""
    table = data.tables[_KEY_ERRORS]
    rows = table.records()
    if not rows:
        return omit_unanalysed(_KEY_ERRORS, _TITLE_ERRORS, [table])
    if all(row["accuracy"] == 1 for row in rows):
        return omit_section(_KEY_ERRORS, _TITLE_ERRORS, [table], "Every reply of this edition is right.")
    drawings = []
    for domain in (_ALL, *DOMAINS):
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            drawings.append(_draw_errors("all domains" if domain == _ALL else domain, listed, data.players()))
    caption = (
        "Each bar is the share of a player's scored replies that are wrong, by what their letters are to "
        "the right ones: subset, some right ones are missing and none is wrong; superset, wrong ones were "
        "added; overlap, both; disjoint, none is right; and no letters, where none could be read. A "
        "question with one right letter has no subset, one with four no superset. What is left to 1 is "
        "right. Point to a part to read its share with its 95% interval; n is the number of questions, "
        "each in one language."
    )
    return Section(_KEY_ERRORS, _TITLE_ERRORS, caption, (table,), tuple(drawings))


def _draw_errors(name: str, rows: Sequence[Record], players: Sequence[str]) -> Drawing:
    bars = [
        Bar(row["player"], {kind: _share(row, kind) for kind in _KINDS}, row["questions"], row["accuracy"])
        for row in rows
    ]
    heading = f"{name}, n = {span(row['questions'] for row in rows)} per player"
    labels = ShareLabels(_KINDS, "wrong letters", "share [95%]", "share of scored replies")
    return stacked_shares(heading, f"{_TITLE_ERRORS}: {name}", bars, labels, players)


def _share(row: Record, kind: str) -> tuple[float, str]:
    column = "unextracted_rate" if kind == _UNREAD else kind
    low, high = (row.get(f"{column}_{end}") for end in ("low", "high"))
    return row[column], with_interval(row[column], low, high)


# Accuracy as fields, players by scenario and by question type (the paper's figures 5 and 6).


SCENARIOS = Query(
    "scenarios",
    """
-- Which scenarios are hard for whom?
SELECT * EXCLUDE (edition)
FROM knowlogic_scenarios
WHERE edition = $edition AND language = 'all'
""",
)

TYPES = Query(
    "types",
    """
-- Does it matter how a question is asked, and how many letters are right?
SELECT * EXCLUDE (edition)
FROM knowlogic_types
WHERE edition = $edition AND language = 'all' AND domain = 'all' AND label <> 'chain_length'
""",
)

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


@figure("scenarios", "Accuracy by scenario", SCENARIOS)
def scenarios(data: ReportData) -> Section:
    """The section of accuracy by scenario: a drawing per domain."""
    key, title = scenarios.key, scenarios.title
    table = data.tables[key]
    rows = table.records()
    if not rows:
        return omit_section(key, title, [table], _NO_LABELS)
    drawings = []
    for domain in DOMAINS:
        listed = [row for row in rows if row["domain"] == domain]
        if listed:
            names = sorted({row["scenario"] for row in listed})
            drawings.append(_draw(domain, title, listed, "scenario", names, data.players()))
    caption = (
        "Each field is a player's accuracy on the questions of a scenario, both languages together. "
        f"Scenarios may differ in their questions' difficulty too. {_LEGEND}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))


@figure("types", "Accuracy by question type", TYPES)
def types(data: ReportData) -> Section:
    """The section of accuracy by question type, precision and number of right letters."""
    key, title = types.key, types.title
    table = data.tables[key]
    rows = table.records()
    if not rows:
        return omit_section(key, title, [table], _NO_LABELS)
    drawings = []
    for label, words in _LABELS.items():
        listed = [row for row in rows if row["label"] == label]
        if listed:
            values = {row["value"] for row in listed}
            types_first = [name for name in QUESTION_TYPES if name in values]
            names = types_first + sorted(values.difference(types_first))
            drawings.append(_draw(words, title, listed, "value", names, data.players()))
    caption = (
        "Each field is a player's accuracy on the questions of one kind, all domains and both languages "
        "together: by what is asked for, by whether it fits one choice (precise) or may fit several (vague), "
        "by how many letters are right, and in space by how many slots the statements name (5: one of six "
        f"things is not named), also with their precision. {_LEGEND}"
    )
    return Section(key, title, caption, (table,), tuple(drawings))


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


PAIRED_LANGUAGES = Query(
    "languages",
    """
-- In which language does a player answer the same questions better?
SELECT * EXCLUDE (edition)
FROM knowlogic_languages
WHERE edition = $edition
""",
)

_KEY_LANGUAGES = "languages"
_TITLE_LANGUAGES = "Chinese and English"


@figure(_KEY_LANGUAGES, _TITLE_LANGUAGES, PAIRED_LANGUAGES)
def languages(data: ReportData) -> Section:
    """The section of paired differences: a drawing of all domains, and one of each."""
    table = data.tables[_KEY_LANGUAGES]
    rows = table.records()
    if not rows:
        missing = "No player has scored answers to both texts of a question."
        return omit_section(_KEY_LANGUAGES, _TITLE_LANGUAGES, [table], missing)
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
            drawings.append(
                interval_rows(heading, f"{_TITLE_LANGUAGES}: {name}", drawn, scale, data.players())
            )
    caption = (
        "Each point is the mean over pairs of a player's accuracy on the Chinese text of a question minus "
        "that on its English text: right of the line Chinese is better. Only pairs with scored answers in "
        "both languages count, n of them. 95% intervals and p are by pair, for other questions of these "
        "domains; p is adjusted by Holm: over all domains one family of models, over the single domains "
        "another; programs are no part of these. A difference is one of texts and readers together: it does "
        "not say which of them is the cause."
    )
    return Section(_KEY_LANGUAGES, _TITLE_LANGUAGES, caption, (table,), tuple(drawings))


# The leaderboard in the columns of the paper's table 5: the best accuracy bold, the second underlined.


LEADERBOARD = Query(
    "leaderboard",
    """
-- Which player answers how much of each domain in each language, and on average?
SELECT * EXCLUDE (edition)
FROM knowlogic_leaderboard
WHERE edition = $edition
""",
)

_KEY = "leaderboard"
_TITLE = "Domains and languages"
_HEADINGS = {"zh": "Chinese", "en": "English"}


@figure(_KEY, _TITLE, LEADERBOARD, PAPER_SCORES)
def leaderboard(data: ReportData) -> Section:
    """The section of the leaderboard: a row per player, a column per domain and language, average."""
    table = data.tables[_KEY]
    rows = data.group_rows(table.records())
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
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
                *(_cell(row, column) for column in columns),
                _percent(row["unextracted_rate"]),
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
    drawings = _draw_beside_paper(data, rows)
    caption += PAPER_DOC if drawings else ""
    return Section(_KEY, _TITLE, caption, (table, *paper_tables(data)), drawings, grid)


def _draw_beside_paper(data: ReportData, rows: Sequence[Record]) -> tuple[Drawing, ...]:
    """A drawing of the averages; none where the paper prints none of a player's."""
    printed = read_paper_values(data, "average")
    drawn = [
        read_estimate(row, "average_paper", "questions", paper=printed.get(("all", row["player"])))
        for row in rows
        if row["average_paper"] is not None
    ]
    if not any(row["paper"] for row in drawn):
        return ()
    heading = (
        f"average over the paper's nine columns, n = {span(row['n'] for row in drawn)} questions per player"
    )
    scale = Scale(("average of domains and languages",), ends=(0, 1))
    return (interval_rows(heading, f"{_TITLE}: average", drawn, scale, data.players()),)


def _cell(row: Record, column: str) -> str:
    value, low, high = (row[f"{column}{end}"] for end in ("", "_low", "_high"))
    if value is None or low is None or high is None:
        return _percent(value)
    return f"{_percent(value)} {brackets(_percent(low), _percent(high))}"


def _percent(value: float | None) -> str:
    return "" if value is None else decimals(100 * value, 1)


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


def _query_means(name: str, classes: str) -> Query:
    return Query(
        name,
        f"""
-- How well do the models do on average, from easy to hard, by classes of {classes}?
SELECT * EXCLUDE (edition, classes)
FROM knowlogic_model_means
WHERE edition = $edition AND classes = '{classes}'
""",
    )


_LANGUAGES = {"all": "both", "zh": "Chinese", "en": "English"}


@figure("model_means", "Mean of the models", _query_means("model_means", "effort"), difficulty="effort")
def model_means(data: ReportData) -> Section:
    """The section of the mean of all models by our classes; none without models."""
    return _tabulate_means(data, model_means, "Classes are ours, by effort")


@figure(
    "level_means",
    "Mean of the models by the paper's level",
    _query_means("level_means", "level"),
    difficulty="level",
)
def level_means(data: ReportData) -> Section:
    """The section of the mean of all models by classes of the level; none without models or levels."""
    return _tabulate_means(data, level_means, "Classes are those of the paper's level")


def _tabulate_means(data: ReportData, of_classes: Figure, classes: str) -> Section:
    key, title = of_classes.key, of_classes.title
    table = data.tables[key]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in table.records():
        mean, low, high = (
            decimals(100 * row[f"{which}_accuracy"], 1) for which in ("mean", "lowest", "highest")
        )
        cell = row["domain"], row["language"]
        cells.setdefault(cell, {})[row["difficulty"]] = f"{mean} {brackets(low, high)}, {row['models']}"
    if not cells:
        return omit_section(
            key, title, [table], "No model played in this edition, or it has no such classes."
        )
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
    return Section(key, title, caption, (table,), grid=grid)


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
