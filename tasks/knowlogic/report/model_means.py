"""The mean accuracy of the models from easy to hard, by domain and language (the paper's figure 4)."""

from perennial.schemas.knowlogic.things import DIFFICULTIES
from perennial.tasks.report.content import Grid, Query, ReportData, Section, figure, omit_section
from perennial.tasks.report.wording import brackets, decimals

MODEL_MEANS = Query(
    "model_means",
    """
-- How well do the models do on average, from easy to hard?
SELECT * EXCLUDE (edition)
FROM knowlogic_model_means
WHERE edition = $edition
""",
)

_LANGUAGES = {"all": "both", "zh": "Chinese", "en": "English"}


@figure("model_means", "Mean of the models", MODEL_MEANS)
def model_means(data: ReportData) -> Section:
    """Return the section of the mean of all models; none without models."""
    key, title = model_means.key, model_means.title
    table = data.tables[key]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in table.records():
        mean, low, high = (
            decimals(100 * row[f"{which}_accuracy"], 1) for which in ("mean", "lowest", "highest")
        )
        place = row["domain"], row["language"]
        cells.setdefault(place, {})[row["difficulty"]] = f"{mean} {brackets(low, high)}, {row['models']}"
    if not cells:
        return omit_section(key, title, [table], "No model played in this edition.")
    grid = Grid(
        ("domain", "language", *DIFFICULTIES, "all classes"),
        tuple(
            (domain, _LANGUAGES[language], *(of.get(each, "") for each in (*DIFFICULTIES, "all")))
            for (domain, language), of in cells.items()
        ),
        frozenset(range(2, 3 + len(DIFFICULTIES))),
    )
    caption = (
        "Each number is the unweighted mean over the models of the percentage of replies with exactly the "
        "right letters; brackets hold the lowest and the highest model, and the number of models follows. "
        "Classes of two domains are not comparable."
    )
    return Section(key, title, caption, (table,), grid=grid)
