"""Audit what is staged, an edition or an evaluation, and, if it holds, publish it."""

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console import progress
from perennial.flows.console.input_files import refuse_clock_set_back
from perennial.flows.console.interrupts import first_signal
from perennial.flows.refresh.plan import FIRST
from perennial.flows.run.code_version import code_version
from perennial.flows.run.process_pool import spread_over
from perennial.flows.stages.compute_statistics import analyse_edition, renew_scale
from perennial.flows.stages.grow import require_complete
from perennial.flows.stages.workspace import open_workspace
from perennial.prompts.render import template_hash, template_names
from perennial.schemas.errors import (
    EditionConflict,
    InvalidOption,
    PerennialError,
    RootLocked,
    UnusableBenchmark,
    in_one_line,
    shorten,
)
from perennial.schemas.game import TOOLS, Seat
from perennial.schemas.ids import derive_rng
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject, Rows
from perennial.schemas.tables import TABLES, staged_tables
from perennial.schemas.units import describe_unit, evaluation_of, is_evaluation
from perennial.warehouse.audit.audit import audit, failed_validations, require_pass
from perennial.warehouse.catalog.catalog import published_editions, published_units, visible_evaluations
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import publish, read_published_plan
from perennial.warehouse.merge_parts import consolidate
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.parquet import rows_as_table
from perennial.warehouse.store.store import Store

# Render what models would be shown of an edition before it is published: afterwards it is never changed.
#
# A refresh of programs alone renders no prompt: without this a missing template is found when the first model
# plays.

_MOST = 100  # questions, one of each domain and setting


def show_questions(
    plan: EditionPlan, protocol: Mapping[str, object], files: Mapping[str, Path], folder: Path
) -> None:
    """Render what a model would be shown of one question of each domain and setting, in every variant.

    `files` are the edition's tables in the scratch `folder`. Raises UnusableBenchmark, which names the
    question, where a template is missing or cannot be rendered.
    """
    benchmark = find_benchmark(plan.benchmark)
    staged = _link_as_published(plan.edition, files, folder / "staged")
    ids = _choose_questions(files["instances"])
    subject = "its seats"
    try:
        for number, seat in enumerate(benchmark.take_seats(staged, plan.edition, ids, protocol)):
            subject = f"question {seat.instance_id}"
            for variant in ("", *benchmark.variants):
                opening = seat.start().opening("" if variant == TOOLS else variant)
                if not opening.template_hash:
                    template_hash(opening.template)
            if number == 0 and not benchmark.one_shot:
                _show_second_message(benchmark, seat)
    except Exception as error:
        if isinstance(error, PerennialError) and not isinstance(error, InvalidOption):
            raise
        # What a plugin raises is its own affair: a template's syntax, a value that it lacks, anything.
        raise UnusableBenchmark(
            f"benchmark {plan.benchmark!r} cannot show {subject} to a model: {type(error).__name__}: "
            f"{shorten(in_one_line(error), 200)}; nothing was published: correct the benchmark, and the same "
            "command resumes"
        ) from error


def _link_as_published(edition: str, files: Mapping[str, Path], folder: Path) -> Store:
    """A root whose tables have the names by which seats read them once they are published."""
    for name, file in files.items():
        link = folder / table_file(name, edition)
        link.parent.mkdir(parents=True)
        link.symlink_to(file.resolve())
    return Store(str(folder))


def _choose_questions(instances: Path) -> Sequence[str]:
    import pyarrow.parquet as pq

    rows = pq.read_table(instances, columns=["instance_id", "domain", "setting"])
    first = rows.group_by(["domain", "setting"], use_threads=False).aggregate([("instance_id", "min")])
    return sorted(first["instance_id_min"].to_pylist())[:_MOST]


def _show_second_message(benchmark: Benchmark, seat: Seat) -> None:
    """Render what follows a program's first move, where the game goes on."""
    for program in benchmark.programs.values():
        game = seat.start()
        try:
            move = program.start(game, derive_rng(0, "show questions", 0))
        except InvalidOption:
            continue  # This program cannot play here.
        if game.take(move()) is not None:
            game.next_message()
            return


# The hashes of all prompt templates that are installed, for the manifest of an edition.


def template_hashes() -> dict[str, str]:
    """The hash of every rendered template, by name such as `kumo/players/system.md.j2`."""
    return {name: template_hash(name) for name in template_names()}


# Editions that others made: their importers read and check the rows.


def is_imported(store: Store, edition: str, digest: str, content: str) -> bool:
    """Whether the edition was imported from content of this digest before.

    Raises EditionConflict where it is published with other content, which is called so.
    """
    if edition not in published_editions(store):
        return False
    if read_published_plan(store, edition).imported_from == digest:
        return True
    raise EditionConflict(
        f"edition {edition!r} is already published in {store.root}, with other {content}, and is never "
        "changed: choose another --edition"
    )


def publish_imported(
    store: Store,
    edition: str,
    benchmark: str,
    plan_part: JsonObject,
    digest: str,
    rows: Mapping[str, Rows],
    found_keys: tuple[str, ...] = (),
) -> None:
    """Publish these rows as an edition that nobody drew; `found_keys` are those of its part of the plan."""
    plan = EditionPlan(
        edition,
        benchmark,
        plan_part,
        seed=0,
        known_editions=(),
        code_version=code_version(),
        imported_from=digest,
        found=found_keys,
    )
    names = staged_tables(benchmark, answers=False)
    tables = {name: rows_as_table(rows.get(name, []), TABLES[name]) for name in names}
    publish(store, plan, tables, [], datetime.now(UTC), templates=template_hashes())


_EVIDENCE = "failed_validations.json"


def audit_and_publish(root: str, unit: str, workers: int | None = None) -> dict[str, int]:
    """Publish what is staged after its audit and return the rows of each table.

    An evaluation comes with the figures of its edition over all that are visible: a large one takes so many
    processes for them. Raises
    AuditFailed, and publishes nothing, where an expectation does not hold, and UnusableBenchmark where an
    edition's questions cannot be shown to a model; the staged data stays. Raises
    Damaged where it is not what was staged, EditionConflict where the clock was set back.
    """
    workspace = open_workspace(root, unit)
    staging, plan = workspace.staging, workspace.plan
    store = staging.store
    refuse_clock_set_back(store, datetime.now(UTC))
    with staging.scratch_folder() as folder:
        files = consolidate(staging, folder)
        # Only now: what is removed while it is read would be missed otherwise.
        require_complete(workspace)
        questions = local_questions(store, plan.edition, folder) if is_evaluation(unit) else {}
        audited = audit(files, questions, unit, plan=plan if isinstance(plan, EditionPlan) else None)
        for key in staging.done_keys():
            audited.rows.extend(staging.read_batch(key, "audits"))
        where = store.location(staging.folder)
        if evidence := failed_validations(audited):
            store.write_bytes(f"{staging.folder}/{_EVIDENCE}", evidence)
            where += f", with rows that break expectations in {_EVIDENCE}"
        require_pass(audited.rows, where)
        if isinstance(plan, EditionPlan):
            show_questions(plan, _protocol_of(store, plan.edition), files, folder)
        statistics = None
        if is_evaluation(unit):
            evaluations = visible_evaluations(store, plan.edition)
            statistics = analyse_edition(store, plan.edition, evaluations, files, spread_over(workers))
        with _end_publishing_first(unit):
            publication = publish(
                store,
                plan,
                {"validations": rows_as_table(audited.validations, TABLES["validations"])},
                audited.rows,
                created_at=datetime.now(UTC),
                files=files,
                templates=template_hashes(),
                statistics=statistics,
            )
    if is_evaluation(unit) and (trouble := renew_scale(store)):
        progress.note(trouble)
    return publication.counts | ({} if statistics is None else {"statistics": statistics.num_rows})


def _protocol_of(store: Store, edition: str) -> Mapping[str, object]:
    plan = Staging(store, evaluation_of(edition, FIRST)).read_plan()
    return plan.protocol if isinstance(plan, EvaluationPlan) else {}


@contextmanager
def _end_publishing_first(unit: str) -> Iterator[None]:
    """Let a signal that interrupts or cancels take effect after the block: what is half written is no use."""
    notice = f"interrupted while {describe_unit(unit)} is being published, which is finished first"
    with first_signal(lambda: progress.note(notice)) as received:
        yield
    if received:
        signal.raise_signal(received[0])


def question_tables() -> list[str]:
    """The tables that hold an edition's questions."""
    return [name for name in TABLES if TABLES[name].kind == "questions" and name != "editions"]


def local_questions(store: Store, edition: str, folder: Path) -> dict[str, Path]:
    """The edition's published questions as local files by table; remote ones are copied to `folder`."""
    present = {name: table_file(name, edition) for name in question_tables()}
    return {
        name: store.local_file(file, folder / f"of_edition_{name}")
        for name, file in present.items()
        if store.exists(file)
    }


# What is prepared before a root is locked still holds afterwards, or is refused.

UnitsOfRoot = tuple[frozenset[str], frozenset[str]]


def units_of_root(store: Store) -> UnitsOfRoot:
    """The editions and evaluations that are published, and those that are staged."""
    return frozenset(published_units(store)), frozenset(staged_units(store))


def refuse_changed_root(store: Store, before: UnitsOfRoot) -> None:
    """Raise RootLocked where another command has published or staged something since `before`."""
    if units_of_root(store) != before:
        raise RootLocked(
            f"another command wrote to {store.root} while this one was being prepared: give the same command "
            "again"
        )
