"""Stage 3: the knowledge book of each instance, written by template or by a model, and checked.

A book is used when its check found exactly the instance's rules. A model's book is read back by a model
and revised; one that never passes is replaced by the template's book, and says so. Beside one that passed the
template's book is kept as the symbolic control. A second writer's book that passed is kept beside the
first writer's that did. What a judge says of a model's books is kept with them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from itertools import count

from perennial.flows.console import progress
from perennial.flows.kumo.edition import KumoEdition, WorkCell
from perennial.flows.stages.model_calls import BatchCalls, ModelSession, run_session, settle_all
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.things import BOOK_STYLES, MIXED, PLAIN, BookStyle, Judgement
from perennial.schemas.kumo.things import BookVersion as VersionName
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.tasks.kumo.authors.books import BookHistory, BookVersion, judge_book, write_model_book
from perennial.tasks.kumo.books import OtherBook, check_book, rules_of, write_book
from perennial.tasks.llm.structured import JsonAsker
from perennial.warehouse.catalog.catalog import read_batches, rows_with
from perennial.warehouse.disclosure import private_ids
from perennial.warehouse.kumo.rows import book_row, instance_from_row
from perennial.warehouse.store.store import Store

# The books of an edition from which long contexts are composed: of each domain those of a few instances.


_OF_A_DOMAIN = 8  # instances, in each setting
_BATCH = 1 << 13

Guidebooks = Mapping[str, Mapping[str, list[OtherBook]]]


@lru_cache(maxsize=2)
def read_guidebooks(store: Store, edition: str) -> Guidebooks:
    """Return final books by setting and domain; a domain and its counterfactual are one.

    They are those of the first public instances of each: a private one's book would be in the messages of
    public ones, and memory should not grow with the edition.
    """
    private = private_ids(store, edition)
    places: dict[str, tuple[str, str]] = {}
    columns = ("instance_id", "setting", "cluster", "index")
    for batch in read_batches(store, "instances", edition, columns, _BATCH):
        for row in batch.to_pylist():
            if row["index"] < _OF_A_DOMAIN and row["instance_id"] not in private:
                places[row["instance_id"]] = row["setting"], row["cluster"]
    books = rows_with(
        store,
        table="kumo_books",
        unit=edition,
        column="instance_id",
        values=sorted(places),
        columns=("instance_id", "text", "verdict", "version"),
    )
    texts = {
        row["instance_id"]: row["text"]
        for row in books
        if (row["version"], row["verdict"]) == ("final", "passed")
    }
    listed = rows_with(
        store,
        table="kumo_instances",
        unit=edition,
        column="instance_id",
        values=sorted(texts),
        columns=("instance_id", "truths"),
    )
    guidebooks: dict[str, dict[str, list[OtherBook]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(listed, key=lambda row: row["instance_id"]):
        setting, domain = places[row["instance_id"]]
        truths = frozenset(truth.casefold() for truth in row["truths"])
        guidebooks[setting][domain].append(OtherBook(texts[row["instance_id"]], truths))
    return guidebooks


def count_domains(store: Store, edition: str) -> int:
    """Return the number of domains that have books in each setting."""
    return min((len(domains) for domains in read_guidebooks(store, edition).values()), default=0)


TEMPLATE_AUTHOR = "template"

# By the text of the book that was judged.
Judgements = Mapping[str, Judgement]
_NO_BOOK = BookHistory((), ())


def write_books(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of the books of one cell.

    Every version is kept with its verdict. An instance without a book that passed is listed in `rejections`
    and is not played.
    """
    edition, cell = KumoEdition(workspace), WorkCell.from_batch(batch)
    if not edition.plan.authoring.writer:
        return _by_template(edition, cell)
    return run_session(workspace, policies.calls, partial(_by_model, edition, cell), in_batches=True)


def _by_template(edition: KumoEdition, cell: WorkCell) -> dict[str, Rows]:
    tables: dict[str, Rows] = {"kumo_books": [], "rejections": []}
    for row in edition.instance_rows(cell):
        _add_template_book(tables, edition, row)
    return tables


async def _by_model(edition: KumoEdition, cell: WorkCell, session: ModelSession) -> dict[str, Rows]:
    calls = session.batch()
    rows = edition.instance_rows(cell)
    asker = session.json_asker(calls)
    ended = count(1)

    async def write(row: Row) -> tuple[BookHistory, BookHistory, Judgements]:
        first = await _history(edition, row, calls, asker, "writer")
        has_second = edition.plan.authoring.second_writer
        second = await _history(edition, row, calls, asker, "second_writer") if has_second else _NO_BOOK
        texts = dict.fromkeys(version.text for version in (*first.versions, *second.versions))
        judgements = await _judge(edition, row, calls, texts) if edition.plan.authoring.judge else {}
        progress.note_part(next(ended) / len(rows))
        return first, second, judgements

    histories = await settle_all(map(write, rows))
    tables: dict[str, Rows] = {"kumo_books": [], "rejections": []}
    for row, (first, second, judgements) in zip(rows, histories, strict=True):
        _add_history(tables, edition, row, first, second, judgements)
    return calls.add_to(tables)


async def _history(
    edition: KumoEdition, row: Row, calls: BatchCalls, asker: JsonAsker, role: str
) -> BookHistory:
    plan, encoded = edition.plan.authoring, edition.config(row["config_id"])
    instance = instance_from_row(row, encoded.config)
    return await write_model_book(
        calls,
        writer=plan.choice(role),
        reviser=plan.reviser_of(role),
        config=encoded.config,
        instance=instance,
        rules=rules_of(encoded, instance),
        rounds=plan.book_rounds,
        instance_id=row["instance_id"],
        ask_json=asker,
    )


async def _judge(edition: KumoEdition, row: Row, calls: BatchCalls, texts: Iterable[str]) -> Judgements:
    judge, encoded = edition.plan.authoring.choice("judge"), edition.config(row["config_id"])
    instance = instance_from_row(row, encoded.config)
    rules = rules_of(encoded, instance)
    return {text: await judge_book(calls, judge, encoded.config, instance, rules, text) for text in texts}


def _add_history(
    tables: dict[str, Rows],
    edition: KumoEdition,
    row: Row,
    first: BookHistory,
    second: BookHistory,
    judgements: Judgements,
) -> None:
    instance_id = row["instance_id"]
    has_passed = first.passed_version is not None
    tables["kumo_books"] += [
        _version_row(instance_id, version, _name_version(first, version), judgements)
        for version in first.versions
    ]
    for version in second.versions:
        name: VersionName = "second" if version.verdict.passed and has_passed else "second-draft"
        later = replace(version, revision=len(first.versions) + version.revision)
        tables["kumo_books"].append(_version_row(instance_id, later, name, judgements))
    tables["rejections"] += [rejection.row() for rejection in first.rejections]
    tables["rejections"] += [
        replace(rejection, message=f"second writer, {rejection.message}").row()
        for rejection in second.rejections
    ]
    number = len(first.versions) + len(second.versions)
    _add_template_book(tables, edition, row, number, "template" if has_passed else "final")


def _name_version(history: BookHistory, version: BookVersion) -> VersionName:
    if version.verdict.passed:
        return "final"
    return "draft" if version.revision or history.passed_version is None else "first"


def _version_row(instance_id: str, version: BookVersion, name: VersionName, judgements: Judgements) -> Row:
    return book_row(
        instance_id,
        version.revision,
        version.text,
        version.author,
        version.verdict,
        version=name,
        checked_by=version.checked_by,
        call_id=version.call_id,
        check_call_ids=version.check_call_ids,
        judgement=judgements.get(version.text),
    )


def _add_template_book(
    tables: dict[str, Rows], edition: KumoEdition, row: Row, revision: int = 0, version: VersionName = "final"
) -> None:
    """Add the template's book: the final one (in place of a model's that never passed, if there is a writer),
    or the control beside a model's; a final one that does not pass is shown to nobody.
    """
    encoded, instance_id = edition.config(row["config_id"]), row["instance_id"]
    instance = instance_from_row(row, encoded.config)
    rules = rules_of(encoded, instance)
    chosen = PLAIN if version == "template" else _choose_style(edition, instance_id)
    # Names that another style cannot hold, such as one with a quote, are written plainly.
    for style in dict.fromkeys((chosen, PLAIN)):
        rng = derive_rng(edition.workspace.seed, f"book/{instance_id}", 0)
        text = write_book(encoded.config, instance, rules, rng, style)
        verdict = check_book(text, instance, rules)
        if verdict.passed:
            break
    tables["kumo_books"].append(
        book_row(
            instance_id,
            revision,
            text,
            TEMPLATE_AUTHOR,
            verdict,
            version=version if verdict.passed or version == "template" else "draft",
            style=style,
            is_replacement=version == "final" and bool(edition.plan.authoring.writer),
        )
    )
    if not verdict.passed:
        message = (
            f"{len(verdict.missing)} rules missing, {len(verdict.extra)} extra; "
            "rename what the book cannot say"
        )
        rejection = Rejection("books", instance_id, "book_rules_differ", message)
        tables["rejections"].append(rejection.row())


def _choose_style(edition: KumoEdition, instance_id: str) -> BookStyle:
    planned = edition.plan.book_style
    if planned == MIXED:
        return derive_rng(edition.workspace.seed, f"book_style/{instance_id}", 0).choice(BOOK_STYLES)
    return next(style for style in BOOK_STYLES if style == planned)
