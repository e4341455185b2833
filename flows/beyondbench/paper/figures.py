"""Figures 1 and 3 to 5, and table 4: what the text prints of them, and what the leaderboard gives.

The figures themselves are pictures without numbers. Their points are computed from the leaderboard, so that
they can be drawn again, and are not judged.
"""

from collections.abc import Iterator, Mapping
from math import log2
from statistics import fmean, median

from perennial.flows.beyondbench.paper.released import SUITES, SiteModel
from perennial.schemas.statistics import PublishedScore
from perennial.tasks.papers import Comparison, compare
from perennial.warehouse.beyondbench.published import models_of_site

# Differences of numbers with two digits are printed with one or two.
_GAIN = 0.055
_NOT_PRINTED = "the figure is a picture without numbers"
_NO_REPLIES = "neither scores by size nor replies of models were published"
_SUBJECTS = {"GPT-5": "OpenAI/GPT5", "GPT-5 mini": "OpenAI/GPT5-Mini", "GPT-5 nano": "OpenAI/GPT5-Nano"}

Site = Mapping[str, SiteModel]
Printed = Mapping[str, list[PublishedScore]]


def compare_figures(printed: Printed, site: Site) -> Iterator[Comparison]:
    """Yield what the text says of each figure beside the leaderboard, then the points of the figure."""
    for score in printed["section 4.2, figure 1"]:
        yield _compare_score(score, None, reason=_NO_REPLIES)
    for place in ("section 4.2", "section 5"):
        for score in printed[place]:
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


def _compare_score(score: PublishedScore, ours: float | None, reason: str = "") -> Comparison:
    if ours is None and not reason:
        reason = "the leaderboard has no such model"
    return compare(
        score.place,
        score.figure,
        score.value,
        ours,
        tolerance=_GAIN if score.figure == "accuracy_gain" else 0.0005,
        setting=score.setting,
        domain=score.domain,
        player=score.player,
        settings=score.settings,
        reason=reason,
    )


def _overall(site: Site, player: str, quantization: str = "", suite: str = "all") -> float | None:
    """Return the accuracy of the model that the paper's tables name so; None where the site lacks it."""
    model = site.get(models_of_site().get((player, quantization), ""))
    return None if model is None else model.scores["accuracy", suite]


def _gain(site: Site, score: PublishedScore) -> float | None:
    """Return how much more the second of two sizes or kinds (`8B to 14B`) of a family has."""
    first, last = (_overall(site, f"{score.player} ({kind})") for kind in score.settings.split(" to "))
    return None if first is None or last is None else last - first


def _curves(site: Site) -> Iterator[Comparison]:
    """Yield figure 3: overall accuracy by family and size, and percentage points per doubling of the size.

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
    """Yield figure 4: what each quantized model has more than the same model without it, and means."""
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
    for quantization, found in sorted(gains.items()):
        yield _point(
            "figure 4", "mean_accuracy_gain", fmean(found), settings=f"{len(found)} of {quantization}"
        )


def _means_of_kinds(site: Site) -> Iterator[Comparison]:
    """Yield figure 5: mean and median accuracy of kinds of models in each suite.

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
    """Yield table 4 with tools beside the leaderboard, and the differences that the text prints."""
    table = {(s.player, s.settings.partition(",")[0], s.setting): s.value for s in printed["table 4"]}
    for score in printed["table 4"]:
        has_tools = score.settings.startswith("with tools")
        model = site.get(_SUBJECTS[score.player])
        yield compare(
            "table 4",
            "accuracy",
            score.value,
            model.scores["accuracy", score.setting] if has_tools and model is not None else None,
            tolerance=0.0005,
            setting=score.setting,
            player=score.player,
            settings=score.settings,
            reason="" if has_tools else "the leaderboard has no runs without tools",
        )
    for score in printed["section 4.5, table 4"]:
        ours = table[score.player, "without tools", "all"] - table[score.player, "with tools", "all"]
        yield _compare_score(score, ours)
    for score in printed["section 4.5"]:
        best, other = (_overall(site, player, "", score.setting) for player in ("GPT5", "GPT-OSS (120B)"))
        yield _compare_score(score, None if best is None or other is None else best - other)
