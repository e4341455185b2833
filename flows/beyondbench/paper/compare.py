"""Set what BeyondBench's paper prints beside the leaderboard of its authors' site, and beside itself.

No reply of a model was published, so that nothing is graded again: a printed number is compared with the
site's, a suite with the mean of its tasks, and a mean of suites with its suites.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean

from perennial.flows.beyondbench.paper.figures import compare_figures
from perennial.flows.beyondbench.paper.released import SUITES, SiteModel, printed_tasks, read_site
from perennial.schemas.statistics import PublishedScore
from perennial.tasks.papers import Comparison, compare
from perennial.warehouse.beyondbench.published import PACKAGE, models_of_site, published_scores, row_of
from perennial.warehouse.beyondbench.published import PAPER as PRINTED
from perennial.warehouse.catalog.scores import read_rows
from perennial.warehouse.store.store import Store

# Both sides are rounded to two digits; a mean of rounded numbers may be one unit of the last digit away.
EXACT, MEAN = 0.0005, 0.0105
FIGURES = ("accuracy", "instruction_following", "tokens")
_ABSENT = "the leaderboard has no such model"

Site = Mapping[str, SiteModel]


def compare_paper(_store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
    """Return a comparison for each printed number; `path` is another leaderboard than the bundled one."""
    site = read_site(path)
    step("comparing the tables with the leaderboard")
    printed = [score for score in published_scores() if score.source == PRINTED]
    of_place: dict[str, list[PublishedScore]] = {}
    for score in printed:
        of_place.setdefault(score.place, []).append(score)
    return [
        *_compare_rows(of_place["table 3"], site),
        *_compare_overall("table 3", _by_row(of_place["table 3"])),
        *_compare_overall("table 4", _by_row(of_place["table 4"])),
        *_compare_rows(of_place["table 25"], site),
        *_compare_suites("tables 26 and 27", "medium", site),
        *_compare_suites("tables 28 to 30", "hard", site),
        *_compare_overall(
            "leaderboard", {(model.name, model.settings): model.scores for model in site.values()}
        ),
        *_compare_bits(site),
        *compare_figures(of_place, site),
    ]


def _compare_rows(printed: list[PublishedScore], site: Site) -> Iterator[Comparison]:
    """Yield each number of a table beside the site's, metric by metric."""
    labels = {
        (row["player"], row["settings"]): row.get("printed_as", "")
        for row in read_rows(PACKAGE, f"{printed[0].place.replace(' ', '_')}.csv")
    }
    for figure in FIGURES:
        for score in printed:
            if score.figure == figure:
                name = models_of_site().get(row_of(score), "")
                model = site.get(name)
                label = labels[score.player, score.settings]
                yield compare(
                    score.place,
                    figure,
                    score.value,
                    None if model is None else model.scores[figure, score.setting],
                    tolerance=EXACT,
                    setting=score.setting,
                    player=label or score.player,
                    settings=score.settings,
                    computed_of=name if label else "",
                    reason=_ABSENT if model is None else "",
                )


def _by_row(printed: list[PublishedScore]) -> dict[tuple[str, str], dict[tuple[str, str], float]]:
    rows: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for score in printed:
        rows.setdefault((score.player, score.settings), {})[score.figure, score.setting] = score.value
    return rows


def _compare_overall(
    place: str, rows: Mapping[tuple[str, str], Mapping[tuple[str, str], float]]
) -> Iterator[Comparison]:
    """Yield each printed overall accuracy beside the mean of the three suites that are printed with it."""
    for (player, settings), scores in rows.items():
        yield compare(
            f"{place}, mean of its suites",
            "accuracy",
            scores["accuracy", "all"],
            fmean(scores["accuracy", suite] for suite in SUITES),
            tolerance=MEAN,
            player=player,
            settings=settings,
        )


def _compare_suites(item: str, suite: str, site: Site) -> Iterator[Comparison]:
    """Yield the site's score of a suite beside the mean of the tasks that the paper prints for that model."""
    for figure in FIGURES:
        for row, found in printed_tasks().items():
            tasks = {task: score.value for task, score in found.get((figure, suite), {}).items()}
            name = models_of_site()[row]
            model = site.get(name)
            whole = None if model is None else model.scores[figure, suite]
            ours = fmean(tasks.values()) if tasks else None
            reason = _ABSENT if model is None else "" if tasks else "the tables have no row of it"
            if whole is not None and ours is not None and abs(ours - whole) > MEAN:
                reason = _explain(tasks, whole)
            yield compare(
                item,
                figure,
                whole,
                ours,
                tolerance=MEAN,
                setting=suite,
                player=row[0],
                settings=row[1],
                reason=reason,
            )


def _explain(tasks: Mapping[str, float], whole: float) -> str:
    """Return the one task without which the mean would be the printed one, "" where there is none such."""
    total = sum(tasks.values())
    as_zero = [task for task, value in tasks.items() if abs((total - value) / len(tasks) - whole) <= MEAN]
    return f"the suite is the mean where {as_zero[0]} counts as 0" if len(as_zero) == 1 else ""


def _compare_bits(site: Site) -> Iterator[Comparison]:
    """Yield the bits that the column of quantization says beside those of a model's name (Int4, Int8)."""
    for model in site.values():
        name = model.name.rpartition("Int")[2]
        if model.quantization.startswith("GPTQ") and name.isdigit():
            said = float(model.quantization.split("-")[1])
            yield compare(
                "leaderboard, name and quantization",
                "bits",
                said,
                float(name),
                player=model.name,
                settings=model.settings,
            )
