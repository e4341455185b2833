"""Take the KUMO authors' release in as an edition and an evaluation: nothing is executed, nothing repaired.

Domains, instances and books are small and go through memory; episodes and turns are staged as Parquet parts
by several processes, and become one file per table.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from perennial.flows.console.progress import show_steps
from perennial.flows.console.row_formats import Terminal
from perennial.flows.kumo.release.release_rows import ReleaseRows, read_release
from perennial.flows.refresh.plan import FIRST
from perennial.flows.run.code_version import code_version
from perennial.flows.run.process_pool import spread_over
from perennial.flows.stages.compute_statistics import analyse_edition, renew_scale
from perennial.schemas.errors import EditionConflict, UnreadableInput
from perennial.schemas.ids import content_id
from perennial.schemas.kumo.plan import KumoPlan
from perennial.schemas.kumo.things import AS_PUBLISHED
from perennial.schemas.plan import EditionPlan, EvaluationPlan, RefreshPlan
from perennial.schemas.rows import Rejection, Row
from perennial.schemas.tables import TABLES, staged_tables
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.editions.publish import Publication, publish, read_published_plan
from perennial.warehouse.kumo.paper import facts_of_paper_models
from perennial.warehouse.kumo.release.layout import Release, Skipped, find_release
from perennial.warehouse.kumo.release.run_table import (
    other_outcomes,
    revised_findings,
    revised_players,
    run_table_episodes,
    table_players,
)
from perennial.warehouse.kumo.release.trajectories import (
    TRAJECTORY_TABLES,
    ImportProgress,
    import_trajectories,
    merge_parts,
    write_part,
)
from perennial.warehouse.lock import lock_root
from perennial.warehouse.store.parquet import sort_by_key
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow


# `perennial import kumo`: import the KUMO authors' release.


EDITION = "kumo-2025-release"
_RUN_TABLE_PART = 99_999


def import_release(
    store: Store,
    path: Path,
    domains: Sequence[str],
    models: Sequence[str],
    tell: Callable[[str], None],
    on_progress: Callable[[ImportProgress], None],
) -> tuple[Publication, tuple[Skipped, ...]] | None:
    """Publish the release as edition `kumo-2025-release`; None where that was done before from the same.

    `tell` is given a line for each stage. Raises UnreadableInput for a folder that is no release,
    InvalidOption for a domain or model that it lacks, EditionConflict where the edition was imported from
    something else, RootLocked where somebody else writes to the root.
    """
    release = find_release(path)
    table = release.run_table
    release = release.only(domains, models, () if table is None else table_players(table.path))
    plan = _plan(release, models)
    with (
        lock_root(store, f"import {plan.edition}", tell),
        TemporaryDirectory(prefix="perennial-import-") as folder,
    ):
        is_published = plan.edition in published_editions(store)
        if is_published and _is_imported(store, plan):
            return None
        rows = read_release(release)
        if not rows.tables["instances"]:
            reason = rows.skipped[0].warning if rows.skipped else "it holds none"
            raise UnreadableInput(f"{path}: no instance could be read; {reason}")
        counted = ", ".join(f"{len(table):,} {name}" for name, table in rows.tables.items())
        tell(f"instances    {counted}; {len(rows.findings):,} findings")
        parts = Path(folder)
        files = [*release.trajectories, *release.oracle]
        read = import_trajectories(files, rows.boards, parts, on_progress=on_progress)
        _add_run_table(release, rows, models, parts)
        identity = plan.evaluation.unit, plan.evaluation.canary
        merged = {name: merge_parts(parts, name, *identity) for name in TRAJECTORY_TABLES}
        tell(f"runs         {read.counts['episodes']:,} episodes with their texts")
        counts: Counter[str] = Counter()
        if not is_published:
            questions = _arrow({**rows.tables, "rejections": _rejections(rows.findings, rows.skipped)})
            counts.update(publish(store, plan.growth, questions, [], datetime.now(UTC)).counts)
        findings = [*read.findings, *revised_findings(release)]
        outcomes = [*read.outcomes, *other_outcomes(release, rows.boards, models)]
        kept = {"rejections": _rejections(findings, read.skipped), "kumo_outcome_runs": outcomes}
        answers = _arrow(kept, answers=True)
        tell(f"outcomes     {sum(row['runs'] for row in outcomes):,} runs without instances")
        statistics = analyse_edition(store, plan.edition, (), merged, spread_over(None))
        tell(f"statistics   {statistics.num_rows:,}")
        made = publish(
            store,
            plan=plan.evaluation,
            tables=answers,
            audits=[],
            created_at=datetime.now(UTC),
            files=merged,
            statistics=statistics,
        )
        if trouble := renew_scale(store):
            tell(trouble)
        counts.update({**made.counts, "statistics": statistics.num_rows})
        return Publication(plan.edition, counts), (*rows.skipped, *read.skipped)


def _is_imported(store: Store, plan: RefreshPlan) -> bool:
    """Whether the published edition has its evaluation; raise EditionConflict where it is another one."""
    if read_published_plan(store, plan.edition).imported_from != plan.growth.imported_from:
        raise EditionConflict(
            f"edition {EDITION} is already published in {store.root}, imported from other files or with "
            "other --domains or --models, and is never changed: import into another --root"
        )
    return store.exists(row_file(plan.evaluation.unit))


def _rejections(findings: Sequence[Rejection], skipped: Sequence[Skipped]) -> list[Row]:
    of_skipped = (Rejection("import", entry.place, "skipped", entry.reason) for entry in skipped)
    return [finding.row() for finding in dict.fromkeys((*findings, *of_skipped))]


def _plan(release: Release, models: Sequence[str]) -> RefreshPlan:
    """The plan that an imported edition keeps; what it was read from counts by names and sizes."""
    parts = (*release.instances, *release.books, *release.trajectories, *release.oracle, *release.revised)
    files = (*release.configs.values(), *(part.file for part in parts), release.run_table)
    listed = sorted((file.name, file.path.stat().st_size) for file in files if file is not None)
    settings = tuple(dict.fromkeys(file.setting for file in release.instances))
    kumo_plan = KumoPlan((), settings, instances=0, min_expected_steps=0.0, sampler=AS_PUBLISHED).as_json()
    digest = content_id("release", listed, sorted(models))
    version = code_version()
    growth = EditionPlan(
        edition=EDITION,
        benchmark="kumo",
        own=kumo_plan,
        seed=0,
        known_editions=(),
        code_version=version,
        imported_from=digest,
    )
    return RefreshPlan(
        growth,
        EvaluationPlan(
            edition=EDITION,
            name=FIRST,
            benchmark="kumo",
            players=release.players,
            runs=0,
            seed=0,
            code_version=version,
            imported_from=digest,
            canary=growth.canary,
            facts=facts_of_paper_models(),
        ),
    )


def _add_run_table(release: Release, rows: ReleaseRows, models: Sequence[str], parts: Path) -> None:
    """Add the runs of players whose own files are not there: the release's table has no moves of them."""
    file = release.run_table
    if file is None:
        return
    try:
        tables = run_table_episodes(
            file.path, rows.boards, release.trajectories, models, revised_players(release)
        )
    except UnreadableInput as error:
        rows.skip(file, None, str(error))
        return
    for name, table in tables.items():
        write_part(table, parts, name, _RUN_TABLE_PART)


def _arrow(rows: Mapping[str, list[Row]], *, answers: bool = False) -> dict[str, "pyarrow.Table"]:
    """The small tables, sorted by their keys; those that an import has nothing for are empty."""
    import pyarrow as pa

    tables = {}
    for name in staged_tables("kumo", answers=answers):
        if name not in TRAJECTORY_TABLES:
            table = pa.Table.from_pylist(rows.get(name, []), schema=TABLES[name].arrow_schema())
            tables[name] = sort_by_key(table, TABLES[name])
    return tables


@contextmanager
def show_import_progress(console: Terminal) -> Iterator[Callable[[ImportProgress], None]]:
    """Show how far the runs are: a bar on a terminal, else lines on standard error."""
    if not console.is_terminal:
        with show_steps("import") as step:
            yield lambda state: step(
                f"{state.files:,} of {state.all_files:,} files, {state.runs:,} runs so far"
            )
        return
    with Progress(
        TextColumn("runs        "),
        BarColumn(bar_width=30),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[runs]}"),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task("runs", total=None, runs="")

        def advance(state: ImportProgress) -> None:
            bar.update(task, total=state.all_files, completed=state.files, runs=f"{state.runs:,} runs")

        yield advance
