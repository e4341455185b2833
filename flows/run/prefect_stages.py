"""Run stages as the graph that they declare: a task run per batch, and one that ends each stage.

A batch waits for the stages that made the tables which its stage reads: Prefect's pages draw these edges. The
task run that ends a stage waits for its batches, and makes its artifact.
"""

import logging
import os
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlencode
from uuid import UUID

from prefect import State, task
from prefect.assets import Asset, AssetProperties
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.actions import ArtifactCreate
from prefect.client.schemas.objects import StateDetails
from prefect.context import AssetContext, SyncClientContext, TaskRunContext
from prefect.states import Completed

from perennial.flows.benchmark import Stage
from perennial.flows.console import progress
from perennial.flows.console.row_formats import escape_markdown, figure
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.run.process_pool import Runner
from perennial.flows.stages.grow import Counts, Work, list_jobs, stages_of
from perennial.flows.stages.workspace import Workspace, open_workspace
from perennial.flows.watchers.watcher import Watchers, without_credentials
from perennial.flows.web.address import DEFAULT_PORT
from perennial.schemas.benchmark import find_declaration
from perennial.schemas.errors import PerennialError, shorten
from perennial.schemas.ids import content_id
from perennial.schemas.plan import Plan
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.lineage import PUBLISH, StageGraph, StageNode, StageTables, parent_tables
from perennial.warehouse.lineage_events import dataset_name, root_namespace
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from prefect.tasks import TaskRunNameCallbackWithParameters


# What Prefect's pages show of a run: one artifact per stage, made in the task run that ends the stage.
#
# Each is a page of Markdown under a title. What models and files supplied is escaped.

_EXPLORER = f"http://127.0.0.1:{DEFAULT_PORT}"
_MOST_ROWS = 200
_LONGEST_CELL = 200


class _Link(NamedTuple):
    text: str
    address: str


def show_stage(root: str, plan: Plan, name: str, counts: Mapping[str, int]) -> None:
    """Make the artifact of a stage whose batches have ended, with these rows by table."""
    if name == PUBLISH:
        kind = "evaluation" if is_evaluation(plan.unit) else "edition"
        title = f"{kind.capitalize()} {plan.unit} is published"
        _create(f"{plan.benchmark}-{kind}", title, _publication(root, plan, counts))
        return
    workspace = open_workspace(root, plan.unit)
    stage = next(stage for stage in stages_of(plan.unit, plan.benchmark) if stage.name == name)
    lines = [stage.doc, *_counts(counts), *_rejections(workspace, stage), *_shown_tables(workspace, stage)]
    _create(f"{plan.benchmark}-{name}", f"Stage {name} of {plan.unit}", lines)


def _create(key: str, title: str, lines: Iterable[str]) -> None:
    context = TaskRunContext.get()
    assert context is not None
    text = "\n".join((f"# {escape_markdown(title)}", "", *lines))
    artifact = ArtifactCreate(
        type="markdown",
        key=key.replace("_", "-"),
        description=title,
        data=text,
        task_run_id=context.task_run.id,
        flow_run_id=context.task_run.flow_run_id,
    )
    with SyncClientContext.get_or_create() as current:
        current.client.create_artifact(artifact)


def _counts(counts: Mapping[str, int]) -> Iterator[str]:
    listed = [{"table": table, "rows": rows} for table, rows in counts.items() if rows]
    if listed:
        yield from _table("Rows", listed)


def _rejections(workspace: Workspace, stage: Stage) -> Iterator[str]:
    rows = list(_staged_rows(workspace, stage, "rejections"))
    refused = Counter(row["rule"] for row in rows)
    first = {row["rule"]: row["message"] for row in reversed(rows)}
    if rows:
        listed = [{"rule": rule, "rejected": n, "first": first[rule]} for rule, n in refused.most_common()]
        yield from _table("Rejections", listed)


def _shown_tables(workspace: Workspace, stage: Stage) -> Iterator[str]:
    for table in stage.shows:
        rows = list(_staged_rows(workspace, stage, table))
        if rows:
            yield from _table(f"Table {table}: {TABLES[table].row}", rows)


def _staged_rows(workspace: Workspace, stage: Stage, table: str) -> Iterator[Row]:
    for batch in stage.batches(workspace) if table in stage.writes else ():
        if workspace.is_done(batch):
            yield from workspace.rows(batch, table)


def _publication(root: str, plan: Plan, counts: Mapping[str, int]) -> Iterator[str]:
    """Yield where the published tables are, how they were audited and, of answers, the leaderboard."""
    location = without_credentials(root if "://" in root else os.path.abspath(root)) + "/tables"
    if is_evaluation(plan.unit):
        yield from _table("Leaderboard", _leaderboard(root, plan))
    yield from _counts(counts)
    link = location if "://" in location else f"file://{location}"
    yield from ("", "## Where to look", "")
    yield f"- Tables: [{location}/<table>/edition={plan.edition}/]({link})"
    yield f"- Lineage of its figures: [explorer]({_address('lineage', edition=plan.edition)})"
    yield f"- What was validated: [explorer]({_address('editions', edition=plan.edition)})"
    yield f"- The same as Data Docs: `perennial audit {plan.unit} --docs FOLDER`"
    yield f"- The explorer's links open while `perennial web` serves this data root on port {DEFAULT_PORT}."


def _leaderboard(root: str, plan: Plan) -> list[Row]:
    measures = find_declaration(plan.benchmark).measures
    board = open_catalog(Store(root)).records(leaderboard_sql(plan.edition, measures))
    return [
        {
            **{name: row[name] for name in ("setting", "rank", "player")},
            "success rate": figure(row, "success_rate"),
            "episodes": _Link(
                f"{row['attempted']:,}",
                _address("episodes", edition=plan.edition, player=row["player"], setting=row["setting"]),
            ),
            **{measure.heading: figure(row, measure.column) for measure in measures},
        }
        for row in board
    ]


def _address(page: str, **parameters: str) -> str:
    return f"{_EXPLORER}/{page}?{urlencode(parameters)}"


def _table(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows as a table under a title; of very many the first ones."""
    yield from ("", f"## {escape_markdown(title)}", "")
    yield _line(escape_markdown(name) for name in rows[0])
    yield _line("---:" if isinstance(value, int | float) else "---" for value in rows[0].values())
    for row in rows[:_MOST_ROWS]:
        yield _line(map(_cell, row.values()))
    if len(rows) > _MOST_ROWS:
        yield f"\nThe first {_MOST_ROWS} of {len(rows):,} rows."


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    if isinstance(value, _Link):
        return f"[{escape_markdown(value.text)}]({value.address})"
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, int):
        return f"{value:,}"
    return escape_markdown(shorten("–" if value is None else str(value), _LONGEST_CELL))


# The tables of a published edition as Prefect assets: one per table, and what each rests on.

_MADE_BY = "perennial"
_KEY_LENGTH = 512  # Prefect's own bound
# A scheme, and the characters that Prefect refuses in a key.
_NOT_IN_A_KEY = re.compile(r"[\x00\s#?&%\"'<>\[\]{}|\\^`]")


def asset_key(root: str, table: str) -> str:
    """Return the table's asset key: perennial://, the root without scheme and credentials, tables/<table>.

    A root too long for a key, or with characters that no key may hold, gets a hash to stay distinct.
    """
    namespace = root_namespace(root).partition("://")[2].strip("/")
    name = _NOT_IN_A_KEY.sub("_", namespace)
    longest = _KEY_LENGTH - len(f"perennial:///{dataset_name(table)}")
    if name != namespace or len(name) > longest:
        mark = f"_{content_id('root', namespace)}"
        name = name[: longest - len(mark)] + mark
    return f"perennial://{name}/{dataset_name(table)}"


def materialize_tables(root: str, unit: str, counts: Mapping[str, int]) -> None:
    """Materialize an asset for each table of the published unit that has rows, in the current task run.

    An asset depends on those of the tables that its rows are made from.
    """
    # Its own row is counted by nobody.
    all_counts = {**counts, "evaluations" if is_evaluation(unit) else "editions": 1}
    rows = {name: all_counts[name] for name in TABLES if all_counts.get(name)}
    present = {*rows, *_questions(Store(root), unit)}
    edition, evaluation = split_unit(unit)
    for table in rows:
        asset = Asset(
            key=asset_key(root, table),
            properties=AssetProperties(name=table, description=f"A row is {TABLES[table].row}."),
        )
        metadata: JsonObject = {
            "edition": edition,
            "evaluation": evaluation,
            "rows": rows[table],
            "columns": [column.name for column in TABLES[table].file_columns],
        }
        parents = {Asset(key=asset_key(root, name)) for name in parent_tables(table) if name in present}
        # A task materializes all of its assets from the same ones: each table has its own parents.
        AssetContext(
            direct_asset_dependencies=parents,
            downstream_assets={asset},
            materialized_by=_MADE_BY,
            materialization_metadata={asset.key: metadata},
        ).emit_events(Completed())


def _questions(store: Store, unit: str) -> list[str]:
    """Return the tables of questions that the unit's edition has published: its answers rest on them."""
    questions = [name for name, table in TABLES.items() if table.kind == "questions"]
    return [name for name in questions if store.exists(table_file(name, split_unit(unit)[0]))]


_RETRIES = 2
_RETRY_DELAY_S = 2
# A batch of book writing may wait for several batches of a server, each up to a day.
_TIMEOUT_S = 7 * 24 * 3600


class Stages(PlainStages):
    """Runs each batch as one task run, and gives `runner` the work that may run elsewhere.

    `task_runs` gets the ids of all task runs.
    """

    def __init__(
        self,
        watchers: Watchers | None = None,
        runner: Runner | None = None,
        task_runs: list[UUID] | None = None,
    ) -> None:
        super().__init__(watchers)
        self._runner = runner
        self._task_runs: list[UUID] = [] if task_runs is None else task_runs
        self._graph = StageGraph()
        self._gates: dict[StageNode, UUID] = {}
        self._wait_for: list[State[str]] = []
        self._root = ""
        self._plan: Plan | None = None
        self._jobs: dict[str, StageTables] = {}

    def begin(self, root: str, plan: Plan) -> None:
        """Begin the edition or evaluation of this plan: its stages come next."""
        self._root, self._plan = root, plan
        self._jobs = {job.name: job for job in list_jobs(plan.unit, plan.benchmark)}
        super().begin(root, plan)

    def run(self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work] = ()) -> Counts:
        """Do all of it and return the added counts: `here` in order in this process, `spread` anywhere."""
        node = StageNode(self._plan.unit if self._plan else "", name)
        upstream = self._graph.add(node, self._jobs.get(name, StageTables(name, "")))
        self._wait_for = _as_ended(self._gates[stage] for stage in upstream)
        begun = len(self._task_runs)
        counts = super().run(name, here, spread)
        gate = _as_task(f"{node.unit}: {name} done", self._end_stage)
        gate(name, counts, wait_for=_as_ended(self._task_runs[begun:]))
        self._gates[node] = self._task_runs[-1]
        return counts

    def _run_batches(
        self, name: str, here: Sequence[Callable[[], Counts]], spread: Sequence[Work]
    ) -> Iterator[Counts]:
        batch = _as_task(name, self._publish if name == PUBLISH else self._do, timeout_s=_TIMEOUT_S)
        in_process = partial(batch, wait_for=self._wait_for)
        waiting = deque(spread)
        if self._runner is None:
            here = [*(work.run for work in spread), *here]
        else:
            while waiting and self._runner.is_patient():
                started, worked = time.monotonic(), time.process_time()
                yield in_process(waiting.popleft().run)
                # Other work on the machine makes a batch longer, and threads of its own its work.
                taken = min(time.monotonic() - started, time.process_time() - worked)
                self._runner.note_local_batch(taken)
            elsewhere = _as_task(name, self._runner.call)
            yield from self._runner.run(elsewhere, waiting, self._wait_for, self._task_runs.append)
        for work in here:
            yield in_process(work)

    def _do(self, work: Callable[[], Counts]) -> Counts:
        self._note_task_run()
        return work()

    def _publish(self, work: Callable[[], Counts]) -> Counts:
        counts = self._do(work)
        if self._plan is not None:
            with _ignoring_failure("assets"):
                materialize_tables(self._root, self._plan.unit, counts)
        return counts

    def _end_stage(self, name: str, counts: Counts) -> Counts:
        self._note_task_run()
        if self._plan is not None:
            with _ignoring_failure("artifacts"):
                show_stage(self._root, self._plan, name, counts)
        return counts

    def _note_task_run(self) -> None:
        context = TaskRunContext.get()
        # A task run that is tried again notes itself again.
        if context is not None and self._task_runs[-1:] != [context.task_run.id]:
            self._task_runs.append(context.task_run.id)


def _as_ended(task_runs: Iterable[UUID]) -> list[State[str]]:
    """Return states of these task runs, to wait for: nothing is left to do but to draw the edges."""
    # Prefect refuses a completed state without data.
    return [Completed(data="ended", state_details=StateDetails(task_run_id=run)) for run in task_runs]


@contextmanager
def _ignoring_failure(what: str) -> Iterator[None]:
    """Note a failure of the block, and ignore it: the edition matters more."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  whatever it is
        progress.note(f"warning: {what} in Prefect's pages failed and are ignored: {error!r}")


def _says_more(record: logging.LogRecord) -> bool:
    return not record.getMessage().endswith("Finished in state Completed()")


# A line for each batch that says nothing: the stage's own line says how many there were, of how many rows.
for _logger in ("prefect.task_runs", "prefect.flow_runs"):
    logging.getLogger(_logger).addFilter(_says_more)


class _OwnCounts(dict[str, int]):
    """Counts that Prefect tells from other objects by more than their id, which Python gives out again.

    A plain dict's successor in memory would look like its result: an edge between strangers.
    """


def _as_task(name: str, function: Callable[..., Counts], timeout_s: float | None = None) -> Any:
    """Return the function as a task; a time-out works in the main thread alone, elsewhere it only warns."""

    @wraps(function)
    def count(*arguments: Any, **options: Any) -> Counts:
        return _OwnCounts(function(*arguments, **options))

    def name_run(parameters: JsonObject) -> str:
        work = parameters.get("work")
        return getattr(work, "label", "") or getattr(getattr(work, "__self__", None), "label", "") or name

    return task(
        name=name,
        task_run_name=cast("TaskRunNameCallbackWithParameters", name_run),
        retries=_RETRIES,
        retry_delay_seconds=_RETRY_DELAY_S,
        retry_condition_fn=_may_pass_next_time,
        timeout_seconds=timeout_s,
        persist_result=False,
        cache_policy=NO_CACHE,
    )(count)


def _may_pass_next_time(_task: Any, _run: Any, state: Any) -> bool:
    """Retry what the machine or the network did; never what the input is."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, PerennialError)
