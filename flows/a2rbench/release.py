"""What A2RBench's authors published: their items imported as an edition, and their paper beside them.

Their code runs in the sandbox, and what holds is an item.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from perennial.flows.a2rbench.edition import catalogue_id, shared_row
from perennial.flows.console.input_files import read_text_file, show_path
from perennial.flows.refresh.publish import is_imported, publish_imported
from perennial.flows.stages.compute_statistics import Spread
from perennial.schemas.a2rbench.things import A2RBenchPlan, RuleAuthoringPlan
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.ids import content_id
from perennial.schemas.rows import Rejection, Row
from perennial.schemas.statistics import PublishedScore
from perennial.tasks.a2rbench.growing import Rejected
from perennial.tasks.a2rbench.measures import Measures, compression_of, measure_code
from perennial.tasks.a2rbench.published import (
    Held,
    ImportedLine,
    PublishedLine,
    read_lines,
    try_line,
    write_published,
)
from perennial.tasks.papers import Comparison, beside, compare
from perennial.tasks.sandbox.tier import Protection
from perennial.warehouse.a2rbench.published import published_scores
from perennial.warehouse.store.store import Store


@dataclass(frozen=True, slots=True)
class ImportedEdition:
    """What an import made of the lines, counted."""

    lines: int
    items: int
    copies: int
    symbolic: int
    not_commuting: int
    rejected: dict[str, int]


def import_lines(
    store: Store,
    edition: str,
    lines: Sequence[PublishedLine],
    protection: Protection,
    spread: Spread,
    on_progress: Callable[[int], None],
) -> ImportedEdition | None:
    """Publish these lines as the edition; None where that was done before with the same ones.

    `on_progress` is called with the number of lines that were tried. Raises EditionConflict where the edition
    is published with others, UnreadableInput where no line holds. The caller holds the root's lock.
    """
    digest = content_id("a2rbench", [line.text for line in lines])
    if is_imported(store, edition, digest, "content"):
        return None
    tried: list[tuple[PublishedLine, Held | Rejected]] = []
    for outcome in spread(try_line, [(line, protection.jail) for line in lines]):
        tried.append((lines[len(tried)], outcome))
        on_progress(len(tried))
    imported = write_published(tried)
    done = _count(imported)
    if not done.items:
        first = next(entry for entry in imported if entry.rejected)
        raise UnreadableInput(
            f"none of {done.lines:,} lines holds, nothing was published; first {first.line.question_id}: "
            f"{first.rejected[0].rule}, {first.rejected[0].why}"
        )
    rows = _rows(imported)
    a2r_plan = A2RBenchPlan(
        max(Counter(row["domain"] for row in rows["instances"] if row["setting"] == "seed").values()),
        max(row["variation"] for row in rows["a2rbench_items"]),
        remapping=True,
        catalogue=catalogue_id(),
        tier=protection.tier,
        authoring=RuleAuthoringPlan(authors=()),
    )
    publish_imported(store, edition, "a2rbench", a2r_plan.as_json(), digest, rows, ("tier",))
    return done


def _count(imported: Sequence[ImportedLine]) -> ImportedEdition:
    items = [entry.item for entry in imported if entry.item is not None]
    rules = Counter(fault.rule for entry in imported for fault in entry.rejected)
    return ImportedEdition(
        lines=len(imported),
        items=len(items),
        copies=sum(entry.copy is not None for entry in imported),
        symbolic=sum(item.type == "symbolic" for item in items),
        not_commuting=sum(item.commutes is False for item in items),
        rejected=dict(sorted(rules.items())),
    )


def _rows(imported: Sequence[ImportedLine]) -> dict[str, list[Row]]:
    tables: dict[str, list[Row]] = {
        name: [] for name in ("instances", "a2rbench_items", "a2rbench_published", "rejections")
    }
    numbers: dict[str, dict[str, int]] = {}
    for entry in imported:
        line = entry.line
        for item in (entry.item, entry.copy):
            if item is not None:
                of_domain = numbers.setdefault(item.domain, {})
                number = of_domain.setdefault(item.rule, len(of_domain))
                tables["instances"].append(shared_row(item, number, None))
                tables["a2rbench_items"].append(asdict(item))
        tables["a2rbench_published"].append(
            {
                "question_id": line.question_id,
                "status": "rejected" if entry.item is None else "item",
                "line": line.text,
                "instance_id": entry.item and entry.item.instance_id,
            }
        )
        tables["rejections"] += [
            Rejection("import", line.question_id, fault.rule, fault.why).row() for fault in entry.rejected
        ]
    return tables


_FILE = "seeds.jsonl"
_MAX_BYTES = 200_000_000


def find_lines(path: Path) -> list[PublishedLine]:
    """Return the items of the file, or of seeds.jsonl in the folder; raise UnreadableInput without any."""
    file = path / _FILE if path.is_dir() else path
    return read_lines(read_text_file(file, _MAX_BYTES), show_path(file))


# Set what A2RBench's paper prints beside the published seeds, and beside its own other numbers.
#
# No reply of a model and no expanded item was published: accuracies are compared between tables and with the
# parts that they are means of. Code and inputs of the published seeds are measured as our own are.

# Numbers with one digit: equal; the difference or mean of two; a weighted mean of several.
EXACT, OF_PARTS = 0.0005, 0.1001
# Items by the paper's section C.1: a symbolic item counts once in each protocol, a semantic one in P0.
_SYMBOLIC, _ALL, _SEEDS, _MAPPED_SEEDS = 702, 1054, 72, 36
_SEMANTIC, _OF_SEEDS = _ALL - _SYMBOLIC, _SEEDS + _MAPPED_SEEDS
_PER_COLUMN = range(40, 100)  # of table 5: items of an author and dimension
_DIMENSIONS = {1: "line", 2: "grid", 3: "cube"}
_AUTHORS = {
    "Author_GPT5_Mini": "GPT-5-Mini",
    "Author_Gemini_Flash": "Gemini-2.5-Flash",
    "Author_Gemini_Pro": "Gemini-2.5-Pro",
    "Author_O4_mini": "O4-mini",
}
_NO_REPLIES = "no reply of a model was published"
_NO_EXPANSIONS = "the expanded items were not published"
_NEEDS_SEEDS = "give the published seeds: perennial reproduce-paper a2rbench PATH"

Numbers = Mapping[tuple[str, str, str], float]  # by player, figure and setting


def compare_paper(_store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
    """Return a comparison for each printed number; `path` is seeds.jsonl, or the folder that holds it.

    Raises UnreadableInput for a file that is missing or holds something else than published items.
    """
    lines = [] if path is None else find_lines(path)
    step("measuring the published seeds")
    of_place: dict[str, list[PublishedScore]] = {}
    for score in published_scores():
        of_place.setdefault(score.place, []).append(score)
    main = {(score.player, score.figure, score.setting): score.value for score in of_place["table 1"]}
    return [
        *_compare_parts(of_place["table 1"], main),
        *_compare_tables(of_place["table 4"], main),
        *_compare_authors(of_place["table 5"], main),
        *_compare_code(of_place["table 6"], lines),
        *_compare_variations(of_place["table 7"], lines),
        *_compare_people(of_place["table 8"], main),
        compare("figure 2", "outcomes", None, None, reason=f"a picture without numbers; {_NO_REPLIES}"),
        *_compare_curve(of_place["section 5.3, figure 4"], of_place["table 7"]),
        *_compare_counts(of_place["section C.1"], lines),
    ]


def _compare_parts(table: Sequence[PublishedScore], main: Numbers) -> Iterator[Comparison]:
    """Yield the numbers of table 1 that others of its row give."""

    def rate(player: str, part: str, figure: str = "accuracy") -> float:
        return main[player, figure, part]

    players = list(dict.fromkeys(score.player for score in table))
    checks: list[tuple[str, str, str, Callable[[str], float]]] = [
        ("P0 - P1", "remapping_gap", "all", lambda llm: rate(llm, "original") - rate(llm, "mapped")),
        (
            *("mean of P0, P1", "accuracy", "symbolic"),
            lambda llm: fmean((rate(llm, "original"), rate(llm, "mapped"))),
        ),
        (
            *("of symbolic and semantic", "accuracy", "all"),
            lambda llm: (_SYMBOLIC * rate(llm, "symbolic") + _SEMANTIC * rate(llm, "semantic")) / _ALL,
        ),
        (
            *("of seeds and variations", "accuracy", "all"),
            lambda llm: (_OF_SEEDS * rate(llm, "seed") + (_ALL - _OF_SEEDS) * rate(llm, "augmented")) / _ALL,
        ),
    ]
    for settings, figure, part, compute in checks:
        for player in players:
            yield compare(
                f"table 1, {settings}",
                figure,
                rate(player, part, figure),
                compute(player),
                tolerance=OF_PARTS,
                setting=part,
                player=player,
            )


def _compare_tables(table: Sequence[PublishedScore], main: Numbers) -> Iterator[Comparison]:
    """Yield table 4 beside table 1, which prints the same numbers but for the collapse rate."""
    for figure in ("accuracy", "remapping_gap", "collapse_rate"):
        for score in table:
            if score.figure == figure:
                ours = main.get((score.player, figure, score.setting))
                reason = _NO_REPLIES if ours is None else ""
                yield beside(score, "table 4, beside table 1", ours, tolerance=EXACT, reason=reason)


def _compare_authors(table: Sequence[PublishedScore], main: Numbers) -> Iterator[Comparison]:
    """Yield each player's total beside that of its cells in table 5, and figure 3: accuracy by dimension.

    A cell is over as many items as give all its column's rates; where several numbers do, it is not judged.
    """
    columns: dict[tuple[str, str], list[PublishedScore]] = {}
    for score in table:
        columns.setdefault((score.settings, score.setting), []).append(score)
    sizes = {key: _find_size([score.value for score in column]) for key, column in columns.items()}
    counts = {key: size for key, size in sizes.items() if size is not None}
    is_known = len(counts) == len(sizes)
    players = [score.player for score in next(iter(columns.values()))]
    totals = [value for (_, figure, part), value in main.items() if (figure, part) == ("accuracy", "all")]
    for index, (player, total) in enumerate(zip(players, totals, strict=True)):
        cells = {key: column[index].value for key, column in columns.items()}
        yield compare(
            "table 5, total of its cells",
            "accuracy",
            total,
            sum(counts[key] * cells[key] for key in counts) / sum(counts.values()) if is_known else None,
            tolerance=OF_PARTS,
            player=player,
            reason="" if is_known else "the number of items of a cell is not known",
        )
    for index, player in enumerate(players):
        for part in _DIMENSIONS.values():
            rates = {key: column[index].value for key, column in columns.items() if key[1] == part}
            ours = (
                sum(counts[key] * rates[key] for key in rates) / sum(counts[key] for key in rates)
                if is_known
                else None
            )
            reason = "a picture without numbers; computed from table 5"
            yield compare("figure 3", "accuracy", None, ours, setting=part, player=player, reason=reason)


def _find_size(rates: Sequence[float]) -> int | None:
    """Return the one number of items of which all rates are shares, rounded to a digit; None: not one."""
    fitting = [
        size
        for size in _PER_COLUMN
        # Half a digit may be rounded either way.
        if all(abs(100 * round(rate * size / 100) / size - rate) <= 0.05 + 1e-9 for rate in rates)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _compare_code(table: Sequence[PublishedScore], lines: Sequence[PublishedLine]) -> Iterator[Comparison]:
    """Yield table 6 beside the same measures of the published rules, of which the paper has more."""
    measured: dict[tuple[str, str], list[Measures]] = {}
    for line in lines:
        author = _AUTHORS.get(line.rule.author, line.rule.author)
        cell = author, _DIMENSIONS[line.rule.dimension]
        measured.setdefault(cell, []).append(measure_code(line.rule.code))
    for figure in dict.fromkeys(score.figure for score in table):
        for score in table:
            if score.figure == figure:
                rules = measured.get((score.player, score.setting), [])
                ours = fmean(getattr(measures, figure) for measures in rules) if rules else None
                reason = "no seed of it was published" if lines else _NEEDS_SEEDS
                if rules:
                    reason = f"{len(rules)} rules of {len(lines)} seeds; the paper has {_SEEDS}"
                yield beside(score, "table 6", ours, reason=reason, is_judged=False)


def _compare_variations(
    table: Sequence[PublishedScore], lines: Sequence[PublishedLine]
) -> Iterator[Comparison]:
    """Yield table 7: the compression of the seeds' queries is computed, the rest needs what is not there."""
    ratios = [compression_of([line.query]).gzip for line in lines if line.variation == 0]
    for figure in dict.fromkeys(score.figure for score in table):
        for score in table:
            if score.figure == figure:
                ours, reason = None, _NO_REPLIES
                if figure == "compression":
                    is_seed = score.setting == "v0"
                    ours = fmean(ratios) if is_seed and ratios else None
                    reason = _NO_EXPANSIONS if not is_seed else _NEEDS_SEEDS
                    reason = (
                        f"queries of {len(ratios)} seeds; the paper has 72" if ours is not None else reason
                    )
                yield beside(score, "table 7", ours, reason=reason, is_judged=False)


def _compare_people(table: Sequence[PublishedScore], main: Numbers) -> Iterator[Comparison]:
    """Yield table 8: the model's rate on the 108 seeds is table 1's of V0."""
    for score in table:
        ours = main["GEMINI3-PRO", "accuracy", "seed"] if score.player.startswith("GEMINI") else None
        reason = "" if ours is not None else "no answer of a person was published"
        settings = {"setting": "", "settings": score.settings}
        yield beside(score, "table 8", ours, tolerance=0.0501, reason=reason, **settings)


def _compare_curve(text: Sequence[PublishedScore], table: Sequence[PublishedScore]) -> Iterator[Comparison]:
    """Yield what the text says of figure 4 beside table 7."""
    printed = {(score.figure, score.setting): score.value for score in table}
    for score in text:
        ours = printed.get((score.figure, score.setting))
        reason = "" if ours is not None else _NO_REPLIES
        yield beside(score, score.place, ours, tolerance=0.00501, reason=reason)


def _compare_counts(text: Sequence[PublishedScore], lines: Sequence[PublishedLine]) -> Iterator[Comparison]:
    """Yield the counts of items: sums of the others, and the seeds beside those that were published."""
    printed = {score.setting: score.value for score in text}
    sums = {
        "all": printed["original"] + printed["mapped"],
        "original": printed["seed"] + printed["augmented"],
    }
    seeds = Counter(line.variation for line in lines)[0]
    for score in sorted(text, key=lambda score: score.setting not in sums):
        is_sum, is_seed = score.setting in sums, score.setting == "seed"
        ours = sums[score.setting] if is_sum else float(seeds) if is_seed and lines else None
        without = _NEEDS_SEEDS if is_seed else _NO_EXPANSIONS
        yield compare(
            "section C.1",
            "sums of items" if is_sum else "published items",
            score.value,
            ours,
            setting=score.setting,
            reason="" if is_sum else without if ours is None else "the release is a part of them",
            is_judged=is_sum,
        )
