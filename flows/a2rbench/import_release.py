"""Import items of the authors' form as an edition: code runs in the sandbox, and what holds is an item."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from perennial.flows.a2rbench.edition import catalogue_id, shared_row
from perennial.flows.console.input_files import read_text_file, show_path
from perennial.flows.refresh.publish import is_imported, publish_imported
from perennial.flows.stages.compute_statistics import Spread
from perennial.schemas.a2rbench.things import A2RBenchPlan, RuleAuthoringPlan
from perennial.schemas.errors import UnreadableInput
from perennial.schemas.ids import content_id
from perennial.schemas.rows import Rejection, Row
from perennial.tasks.a2rbench.growing import Rejected
from perennial.tasks.a2rbench.published import (
    Held,
    ImportedLine,
    PublishedLine,
    read_lines,
    try_line,
    write_published,
)
from perennial.tasks.sandbox.tier import Protection
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
