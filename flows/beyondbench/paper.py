"""The paper of BeyondBench beside the leaderboard of its authors' site."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean, median

from perennial.flows.console.input_files import read_bytes_file, show_path
from perennial.schemas.statistics import PublishedScore
from perennial.tasks.papers import Comparison, beside, compare
from perennial.warehouse.beyondbench.published import PACKAGE, SITE, models_of_site, published_scores, row_of
from perennial.warehouse.beyondbench.published import PAPER as PRINTED
from perennial.warehouse.beyondbench.release import read_leaderboard
from perennial.warehouse.catalog.scores import read_rows
from perennial.warehouse.store.store import Store

# What is computed from: the leaderboard of the authors' site, and tasks of the paper's tables 26 to 30.

SUITES = ("easy", "medium", "hard")
_FILE = "leaderboard.json"
_COLUMNS = {"acc": "accuracy", "inst": "instruction_following", "tokens": "tokens"}
_OVERALL = {"accuracy": "accuracy", "instruction": "instruction_following", "tokens": "tokens"}
_QUANTIZATIONS = ("FP8", "AWQ", "GPTQ-4-Bit", "GPTQ-8-Bit")

Scores = Mapping[tuple[str, str], float]  # by figure and suite, `all` for the mean of the suites


@dataclass(frozen=True, slots=True)
class SiteModel:
    """A model of the leaderboard: its scores, and what the site says of it (`0.5B, GPTQ-4-Bit`)."""

    name: str
    settings: str
    scores: Scores

    @property
    def size(self) -> str:
        """Its parameters in the site's words, such as 0.5B; empty where they are not said."""
        first = self.settings.partition(", ")[0]
        return first if first[:1].isdigit() else ""

    @property
    def quantization(self) -> str:
        """How it is quantized; empty where it is not."""
        last = self.settings.rpartition(", ")[2]
        return last if last in _QUANTIZATIONS else ""


def read_site(path: Path | None) -> dict[str, SiteModel]:
    """Return the models of the file, of leaderboard.json in a folder, or without PATH the bundled ones.

    Raises UnreadableInput for a file that is missing or is no leaderboard.
    """
    if path is None:
        return _load_bundled()
    file = path / _FILE if path.is_dir() else path
    models = {}
    for entry in read_leaderboard(read_bytes_file(file), show_path(file)):
        scores = {(figure, "all"): entry.scores[column] for column, figure in _OVERALL.items()}
        for suite in SUITES:
            for column, figure in _COLUMNS.items():
                scores[figure, suite] = entry.scores[f"{suite}_{column}"]
        models[entry.model] = SiteModel(entry.model, entry.settings or "", scores)
    return models


def _load_bundled() -> dict[str, SiteModel]:
    scores: dict[str, dict[tuple[str, str], float]] = {}
    settings = {}
    for row in published_scores():
        if row.source == SITE:
            scores.setdefault(row.player, {})[row.figure, row.setting] = row.value
            settings[row.player] = row.settings
    return {name: SiteModel(name, settings[name], model_scores) for name, model_scores in scores.items()}


def printed_tasks() -> dict[tuple[str, str], dict[tuple[str, str], dict[str, PublishedScore]]]:
    """Return what tables 26 to 30 print: by row of a model, by figure and suite, by task."""
    by_row: dict[tuple[str, str], dict[tuple[str, str], dict[str, PublishedScore]]] = {}
    for score in published_scores():
        if score.domain != "all" and score.place.startswith("table"):
            of_model = by_row.setdefault(row_of(score), {})
            of_model.setdefault((score.figure, score.setting), {})[score.domain] = score
    return by_row


# Figures 1 and 3 to 5, and table 4: what the text prints of them, and what the leaderboard gives.
#
# The figures themselves are pictures without numbers. Their points are computed from the leaderboard, so that
# they can be drawn again, and are not judged.

# Both sides are rounded to two digits; a mean of rounded numbers may be one unit of the last digit away.
EXACT, MEAN = 0.0005, 0.0105
# Differences of numbers with two digits are printed with one or two.
_GAIN = 0.055
_NOT_PRINTED = "the figure is a picture without numbers"
_ABSENT = "the leaderboard has no such model"
_NO_REPLIES = "neither scores by size nor replies of models were published"
_SUBJECTS = {"GPT-5": "OpenAI/GPT5", "GPT-5 mini": "OpenAI/GPT5-Mini", "GPT-5 nano": "OpenAI/GPT5-Nano"}

Site = Mapping[str, SiteModel]
Printed = Mapping[str, list[PublishedScore]]


def compare_figures(printed: Printed, site: Site) -> Iterator[Comparison]:
    """Yield what the text says of each figure beside the leaderboard, then the points of the figure."""
    for score in printed["section 4.2, figure 1"]:
        yield _compare_score(score, None, reason=_NO_REPLIES)
    for section in ("section 4.2", "section 5"):
        for score in printed[section]:
            # The site says the size of open models alone.
            counted = [model for model in site.values() if model.size or score.settings != "open source"]
            yield _compare_score(score, float(len(counted)))
    for score in printed["section 4.3, figure 3"]:
        yield _compare_score(score, _gain(site, score))
    yield from _curves(site)
    for score in printed["section 4.3, figure 4"]:
        _, _, quantization = score.settings.partition(", ")
        yield _compare_score(score, _overall(site, score.player, quantization))
    yield from _costs_of_quantization(site)
    for score in printed["section 4.4, figure 5"]:
        yield _compare_score(score, _gain(site, score))
    yield from _means_of_kinds(site)
    yield from _compare_tools(printed, site)


def _compare_score(score: PublishedScore, ours: float | None, **more: str) -> Comparison:
    tolerance = _GAIN if score.figure == "accuracy_gain" else EXACT
    reason = _ABSENT if ours is None else ""
    columns = {"domain": score.domain, "settings": score.settings, "reason": reason, **more}
    return beside(score, score.place, ours, tolerance=tolerance, **columns)


def _overall(site: Site, player: str, quantization: str = "", suite: str = "all") -> float | None:
    """The accuracy of the model that the paper's tables name so; None where the site lacks it."""
    model = site.get(models_of_site().get((player, quantization), ""))
    return None if model is None else model.scores["accuracy", suite]


def _gain(site: Site, score: PublishedScore) -> float | None:
    """How much more the second of two sizes or kinds (`8B to 14B`) of a family scores."""
    first, last = (_overall(site, f"{score.player} ({kind})") for kind in score.settings.split(" to "))
    return None if first is None or last is None else last - first


def _curves(site: Site) -> Iterator[Comparison]:
    """Figure 3: overall accuracy by family and size, and percentage points per doubling of the size.

    Families with three sizes or more; least squares of accuracy on log2 of the billions of parameters.
    """
    sizes: dict[str, list[tuple[float, float]]] = {}
    for (player, quantization), name in models_of_site().items():
        model = site.get(name)
        family, _, size = player.rstrip(")").partition(" (")
        if (
            model is None
            or quantization
            or not size.endswith("B")
            or not size[:-1].replace(".", "").isdigit()
        ):
            continue
        accuracy = model.scores["accuracy", "all"]
        sizes.setdefault(family, []).append((float(size[:-1]), accuracy))
    curves = {family: sorted(points) for family, points in sizes.items() if len(points) > 2}
    for family, points in curves.items():
        for billions, accuracy in points:
            yield _point("figure 3", "accuracy", accuracy, settings=f"{family}, {billions:g}B")
    for family, points in curves.items():
        import numpy as np

        slope = np.polyfit(
            [log2(billions) for billions, _ in points], [accuracy for _, accuracy in points], 1
        )[0]
        yield _point("figure 3", "gain_per_doubling", float(slope), settings=family)


def _costs_of_quantization(site: Site) -> Iterator[Comparison]:
    """Figure 4: what each quantized model has more than the same model without it, and means."""
    gains: dict[str, list[float]] = {}
    for (player, quantization), name in models_of_site().items():
        if not quantization or name not in site:
            continue
        settings = site[name].settings
        before, after = _overall(site, player), _overall(site, player, quantization)
        if before is None or after is None:
            reason = "the leaderboard has the model in this form alone"
            yield _point("figure 4", "accuracy_gain", None, settings=f"{player}, {settings}", reason=reason)
            continue
        gains.setdefault(quantization, []).append(after - before)
        yield _point("figure 4", "accuracy_gain", after - before, settings=f"{player}, {settings}")
    for quantization, changes in sorted(gains.items()):
        yield _point(
            "figure 4", "mean_accuracy_gain", fmean(changes), settings=f"{len(changes)} of {quantization}"
        )


def _means_of_kinds(site: Site) -> Iterator[Comparison]:
    """Figure 5: mean and median accuracy of kinds of models in each suite.

    The paper does not say which models are of which kind; here the site's column of variants does.
    """
    kinds: dict[str, list[SiteModel]] = {}
    for model in site.values():
        kinds.setdefault(_kind_of(model), []).append(model)
    for metric, summarize in (("mean_accuracy", fmean), ("median_accuracy", median)):
        for kind, models in sorted(kinds.items()):
            for suite in SUITES:
                value = float(summarize([model.scores["accuracy", suite] for model in models]))
                yield _point("figure 5", metric, value, setting=suite, settings=f"{len(models)} {kind}")


def _kind_of(model: SiteModel) -> str:
    variant = model.settings.rpartition(", ")[2].lower()
    if model.quantization:
        return "quantized"
    if variant.startswith(("reasoning", "thinking")):
        return "reasoning"
    return variant if variant in ("math", "instruct") else "others"


def _point(
    item: str,
    metric: str,
    ours: float | None,
    *,
    setting: str = "",
    settings: str,
    reason: str = _NOT_PRINTED,
) -> Comparison:
    return compare(item, metric, None, ours, setting=setting, settings=settings, reason=reason)


def _compare_tools(printed: Printed, site: Site) -> Iterator[Comparison]:
    """Table 4 with tools beside the leaderboard, and the differences that the text prints."""
    table = {(s.player, s.settings.partition(",")[0], s.setting): s.value for s in printed["table 4"]}
    for score in printed["table 4"]:
        has_tools = score.settings.startswith("with tools")
        model = site.get(_SUBJECTS[score.player])
        ours = model.scores["accuracy", score.setting] if has_tools and model is not None else None
        reason = "" if has_tools else "the leaderboard has no runs without tools"
        yield _compare_score(score, ours, domain="", reason=reason)
    for score in printed["section 4.5, table 4"]:
        ours = table[score.player, "without tools", "all"] - table[score.player, "with tools", "all"]
        yield _compare_score(score, ours)
    for score in printed["section 4.5"]:
        best, other = (_overall(site, player, "", score.setting) for player in ("GPT5", "GPT-OSS (120B)"))
        yield _compare_score(score, None if best is None or other is None else best - other)


# Set what BeyondBench's paper prints beside the leaderboard of its authors' site, and beside itself.
#
# No reply of a model was published, so that nothing is graded again: a printed number is compared with the
# site's, a suite with the mean of its tasks, and a mean of suites with its suites.

FIGURES = ("accuracy", "instruction_following", "tokens")


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
    """Each number of a table beside the site's, metric by metric."""
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
                ours = None if model is None else model.scores[figure, score.setting]
                who = {"player": label or score.player, "computed_of": name if label else ""}
                yield _compare_score(score, ours, domain="", **who)


def _by_row(printed: list[PublishedScore]) -> dict[tuple[str, str], dict[tuple[str, str], float]]:
    rows: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for score in printed:
        rows.setdefault((score.player, score.settings), {})[score.figure, score.setting] = score.value
    return rows


def _compare_overall(
    source: str, rows: Mapping[tuple[str, str], Mapping[tuple[str, str], float]]
) -> Iterator[Comparison]:
    """Each printed overall accuracy beside the mean of the three suites that are printed with it."""
    for (player, settings), scores in rows.items():
        yield compare(
            f"{source}, mean of its suites",
            "accuracy",
            scores["accuracy", "all"],
            fmean(scores["accuracy", suite] for suite in SUITES),
            tolerance=MEAN,
            player=player,
            settings=settings,
        )


def _compare_suites(item: str, suite: str, site: Site) -> Iterator[Comparison]:
    """The site's score of a suite beside the mean of the tasks that the paper prints for that model."""
    for figure in FIGURES:
        for row, suites in printed_tasks().items():
            tasks = {task: score.value for task, score in suites.get((figure, suite), {}).items()}
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
    """The one task without which the mean would be the printed one, "" where there is none such."""
    total = sum(tasks.values())
    as_zero = [task for task, value in tasks.items() if abs((total - value) / len(tasks) - whole) <= MEAN]
    return f"the suite is the mean where {as_zero[0]} counts as 0" if len(as_zero) == 1 else ""


def _compare_bits(site: Site) -> Iterator[Comparison]:
    """The bits that the column of quantization says beside those of a model's name (Int4, Int8)."""
    for model in site.values():
        name = model.name.rpartition("Int")[2]
        if model.quantization.startswith("GPTQ") and name.isdigit():
            bits = float(model.quantization.split("-")[1])
            yield compare(
                "leaderboard, name and quantization",
                "bits",
                bits,
                float(name),
                player=model.name,
                settings=model.settings,
            )
