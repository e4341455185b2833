"""From lines that were tried to items: each with its seed item, a copy after its original."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from perennial.schemas.a2rbench.item import Item
from perennial.tasks.a2rbench.items import Shown, instance_id, write_item
from perennial.tasks.a2rbench.published.lines import PublishedLine
from perennial.tasks.a2rbench.published.trials import Copied, Held
from perennial.tasks.a2rbench.seeds import Rejected


@dataclass
class ImportedLine:
    """A line, the item and the copy that it became, and what of it does not exist, with the reason."""

    line: PublishedLine
    item: Item | None = None
    copy: Item | None = None
    rejected: list[Rejected] = field(default_factory=list)


def write_published(tried: Sequence[tuple[PublishedLine, Held | Rejected]]) -> list[ImportedLine]:
    """Return what became of each line, in the order of rules and variations.

    A rule's V0 is the seed item of its variations, whose code, author and cell it has; without it they are
    none. An item that another line gives already is left out.
    """
    written: list[ImportedLine] = []
    seeds: dict[str, tuple[PublishedLine, Item]] = {}
    known: set[str] = set()
    for line, found in sorted(tried, key=lambda each: (each[0].rule.name, each[0].variation)):
        imported = ImportedLine(line)
        written.append(imported)
        fault = found if isinstance(found, Rejected) else _find_fault(line, found.shown, seeds, known)
        if isinstance(fault, Rejected):
            imported.rejected.append(fault)
            continue
        assert isinstance(found, Held)
        seed = seeds.get(line.rule.name)
        copied = found.copied
        imported.item = write_item(
            line.rule,
            line.variation,
            found.shown,
            found.fits,
            seed_item=seed[1].instance_id if seed else "",
            commutes=copied.commutes if copied else None,
        )
        known.add(imported.item.instance_id)
        seeds.setdefault(line.rule.name, (line, imported.item))
        if copied is not None:
            _write_copy(imported, imported.item, copied, known)
    return written


def _find_fault(
    line: PublishedLine, shown: Shown, seeds: dict[str, tuple[PublishedLine, Item]], known: set[str]
) -> Rejected | None:
    """Return why the line is no item beside those before it."""
    seed = seeds.get(line.rule.name)
    if instance_id(shown) in known:
        return Rejected(line.variation, "not_new", "another line has these examples and this query")
    if seed is None:
        why = f"no item is V0 of {line.rule.name}"
        return Rejected(line.variation, "no_seed_item", why) if line.variation else None
    if line.variation == 0:
        return Rejected(0, "not_new", f"{seed[0].question_id} is V0 of {line.rule.name} already")
    rule, other = line.rule, seed[0].rule
    same = (rule.code, rule.author, rule.type, rule.dimension)
    if same != (other.code, other.author, other.type, other.dimension):
        why = f"code, author, type or dimension are not those of {seed[0].question_id}"
        return Rejected(line.variation, "another_rule", why)
    return None


def _write_copy(imported: ImportedLine, original: Item, copied: Copied, known: set[str]) -> None:
    line, why = imported.line, copied.why
    if copied.shown is not None and copied.fits is not None:
        if instance_id(copied.shown) not in known:
            imported.copy = write_item(
                line.rule,
                line.variation,
                copied.shown,
                copied.fits,
                seed_item=original.seed_item,
                of=original.instance_id,
                phi=copied.phi,
                commutes=True,
            )
            known.add(imported.copy.instance_id)
            return
        why = "another item has these examples and this query"
    imported.rejected.append(Rejected(line.variation, "not_remapped", why))
