"""The paper of KnowLogic beside its own tables, and its printed items beside our engine."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from perennial.flows.console.input_files import read_text_file, show_path
from perennial.schemas.statistics import PublishedScore
from perennial.tasks.knowlogic.published import PrintedItem, judge_item, read_printed_items
from perennial.tasks.papers import Comparison, beside, compare
from perennial.warehouse.knowlogic.knowledge import load_knowledge
from perennial.warehouse.knowlogic.published import published_scores
from perennial.warehouse.store.store import Store

# Set what KnowLogic's paper prints beside what its tables give, and its printed items beside our engine.
#
# No reply of a model was published, and none of the 3,000 questions but those that the paper prints: means
# are computed from the printed cells, and a printed item is decided from its own text.

_MAX_BYTES = 10_000_000
_SHARE = 100.0
_NO_REPLIES = "neither the questions nor replies of models were published"
_PICTURE = "a picture without numbers; neither the questions nor replies of models were published"
_NEEDS_TEXT = "give the paper's text: perennial reproduce-paper knowlogic PATH"


def compare_paper(_store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
    """Return a comparison for each printed number and item; `path` is the text of the paper, for its items.

    Raises UnreadableInput for a file that is missing, or has no printed item.
    """
    items = [] if path is None else read_printed_items(read_text_file(path, _MAX_BYTES), show_path(path))
    of_place: dict[str, list[PublishedScore]] = {}
    for score in published_scores():
        of_place.setdefault(score.place, []).append(score)
    step("deciding the printed items")
    return [
        *_compare_cells(of_place["table 5"]),
        *_compare_averages(of_place["table 5"]),
        *_compare_extraction(of_place["table 8"]),
        *_compare_text(of_place),
        compare("figures 4 to 11", "accuracy", None, None, reason=_PICTURE),
        compare("figure 12", "tokens", None, None, reason=_PICTURE),
        *_judge_items(items),
    ]


def _compare_cells(table: Sequence[PublishedScore]) -> Iterator[Comparison]:
    """Each printed accuracy: whether it can be a share of the domain's 600 questions."""
    for score in table:
        if score.figure == "accuracy":
            # 600 questions: the nearest share of whole questions, cut or rounded to two digits.
            right = round(score.value / _SHARE * 600)
            ours = right / 600 * _SHARE
            yield beside(score, "table 5, of 600 questions", ours, tolerance=0.00501, domain=score.domain)


def _compare_averages(table: Sequence[PublishedScore]) -> Iterator[Comparison]:
    """Each printed average beside the mean of the nine cells."""
    for score in table:
        if score.figure == "average":
            cells = [row.value for row in table if row.figure == "accuracy" and row.player == score.player]
            yield beside(score, "table 5", fmean(cells), tolerance=0.0101, setting="")


def _compare_extraction(table: Sequence[PublishedScore]) -> Iterator[Comparison]:
    """The printed mean of table 8 beside the mean of its rows."""
    rates = [score for score in table if score.player]
    for score in table:
        ours = None if score.player else fmean(rate.value for rate in rates)
        more = {
            "player": score.player or "mean",
            "setting": "",
            "reason": "" if ours is not None else _NO_REPLIES,
        }
        yield beside(score, "table 8", ours, tolerance=0.000101, **more)


def _compare_text(of_place: dict[str, list[PublishedScore]]) -> Iterator[Comparison]:
    """What the text says of the tables: its highest average, its number of models."""
    averages = [score.value for score in of_place["table 5"] if score.figure == "average"]
    counted = {"average": max(averages), "models": float(len(averages))}
    for section in ("section 1", "section 3.1"):
        for score in of_place[section]:
            ours = counted.get(score.figure)
            reason = "" if ours is not None else "the questions were not published"
            more = {"player": "", "setting": "", "settings": score.settings, "reason": reason}
            yield beside(score, section, ours, tolerance=0.005, **more)


def _judge_items(items: Sequence[PrintedItem]) -> Iterator[Comparison]:
    """A row per printed item and language: it agrees where its key follows from its text alone."""
    if not items:
        yield compare("table 7 and figures 13 to 23", "key", None, None, reason=_NEEDS_TEXT)
        return
    knowledge = load_knowledge()
    numbers: Counter[tuple[str, str]] = Counter()
    for item in items:
        numbers[item.source, item.language] += 1
        name = f"item {numbers[item.source, item.language]}" if item.kind else ""
        row = compare(
            item.source,
            "key",
            None,
            None,
            setting=item.language,
            domain=item.domain,
            player=" ".join(part for part in (name, item.kind) if part),
        )
        if item.question is None:
            yield replace(row, reason=item.missing)
            continue
        finding = judge_item(item.question, knowledge)
        agrees = None if finding.verdict == "undecided" else finding.verdict == "agrees"
        # The last reason is the reader's of published sentences; items are in nobody else's.
        reason = finding.reason.rpartition("; published ring: ")[2]
        yield replace(row, agrees=agrees, reason=f"{finding.verdict}: {reason}")
