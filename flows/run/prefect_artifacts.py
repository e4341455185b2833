"""What Prefect's pages show of a run: one artifact per stage, made in the task run that ends the stage.

Each is a page of Markdown under a title. What models and files supplied is escaped.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from prefect.client.schemas.actions import ArtifactCreate
from prefect.context import SyncClientContext, TaskRunContext

from perennial.flows.benchmark import Stage
from perennial.flows.console.leaderboard_table import figure
from perennial.flows.console.terminal import escape_markdown
from perennial.flows.stages.unit_stages import stages_of
from perennial.flows.stages.workspace import Workspace, open_workspace
from perennial.flows.watchers.webhook import without_credentials
from perennial.flows.web.address import DEFAULT_PORT
from perennial.schemas.benchmark import find_declaration
from perennial.schemas.errors import shorten
from perennial.schemas.plan import Plan
from perennial.schemas.rows import Row
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.dictionary import leaderboard_sql
from perennial.warehouse.lineage import PUBLISH
from perennial.warehouse.store.store import Store

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
    """Yield how often each rule refused something, with the first message."""
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
    names, rows = open_catalog(Store(root)).query(leaderboard_sql(plan.edition, measures))
    board = [dict(zip(names, row, strict=True)) for row in rows]
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
