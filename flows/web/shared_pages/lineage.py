"""Lineage: stages, tables, model calls and checks behind an edition or one of its figures, each a link."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from perennial.flows.stages.grow import list_jobs
from perennial.flows.web.figures import show_query, show_rows
from perennial.flows.web.page import Opened, Page, Rows, Visit, choose, parameter, plain
from perennial.schemas.errors import InvalidOption
from perennial.schemas.json_text import read_json
from perennial.schemas.rows import JsonObject
from perennial.schemas.tables import TABLES
from perennial.schemas.units import is_evaluation, split_unit
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.lineage import StageNode, StageTables, column_origins
from perennial.warehouse.store.store import Store

_WHOLE = "the whole edition"
_VALUES = """
SELECT domain, value, low, high, n, convention FROM statistics
WHERE statistic = {} AND player = {} AND setting = {} AND other = ''
ORDER BY domain <> 'all', domain, convention
"""
_BEHIND = """
SELECT evaluation, count(DISTINCT episode_id) AS episodes, count(DISTINCT instance_id) AS instances,
       count(DISTINCT call_id) AS calls, player_model, player_template, player_template_hash,
       seed_commitment, code_version
FROM (SELECT *, unnest(coalesce(call_ids, [NULL])) AS call_id FROM lineage)
WHERE player = {} AND setting = {}
GROUP BY ALL ORDER BY evaluation
"""


@dataclass(frozen=True)
class _Graph:
    """Stages that ran, with what they read and write; rows and checks (held, all) of the tables with rows."""

    stages: Mapping[StageNode, StageTables]
    rows: Mapping[str, int]
    checks: Mapping[str, tuple[int, int]]

    def upstream(self, table: str) -> "_Graph":
        """Return the part that the rows of the table come from."""
        tables, kept = {table}, dict[StageNode, StageTables]()
        for node, job in reversed(list(self.stages.items())):
            if written := tables & set(job.writes):
                kept[node] = replace(job, writes=tuple(written))
                tables |= set(job.reads)
        rows = {name: rows for name, rows in self.rows.items() if name in tables}
        return replace(self, stages=dict(reversed(kept.items())), rows=rows)


def show(visit: Visit) -> None:
    """Draw how the edition or the chosen figure came about, and show what is chosen in the drawing."""
    columns = st.columns(4)
    edition = visit.choose_edition(column=columns[0])
    if edition.declaration is None:
        st.info(f"Benchmark {plain(edition.benchmark_name)} is not installed here: its stages are unknown.")
        return
    statistics = edition.values("statistic", "statistics WHERE player <> ''")
    figure = choose("Figure", [_WHOLE, *statistics], "figure", column=columns[1])
    graph = _read_graph(edition)
    kept = {"edition": edition.name}
    if figure != _WHOLE:
        kept |= _show_figure(visit, edition, figure, columns[2:])
        graph = graph.upstream("statistics")
    st.graphviz_chart("\n".join(_draw(graph, kept)), width="stretch")
    st.caption(
        "A box is a stage, an ellipse a table with its rows and how many of the expectations about it held. "
        "Click one to see it below."
    )
    if chosen := parameter("stage"):
        _show_stage(visit, edition, graph, chosen)
    elif chosen := parameter("table"):
        _show_table(visit, edition, graph, chosen)


def _read_graph(edition: Opened) -> _Graph:
    names = [name for name, table in TABLES.items() if table.of_editions]
    counts = (f"SELECT {quote(name)}, count(*) FROM {name}" for name in names)
    rows = {name: number for name, number in edition.query(" UNION ALL ".join(counts)).rows if number}
    checks = edition.query("SELECT suite, count(*) FILTER (success), count(*) FROM audits GROUP BY suite")
    stages: dict[StageNode, StageTables] = {}
    made: set[str] = set()
    for unit in sorted(edition.snapshot.units, key=is_evaluation):
        written = _read_written(Store(edition.snapshot.root), unit)
        for job in list_jobs(unit, edition.benchmark_name):
            # Where there are no events, every stage may have run.
            if job.name in written or not written:
                reads = tuple(name for name in job.reads if name in made)
                writes = tuple(name for name in written.get(job.name, job.writes) if name in rows)
                stages[StageNode(unit, job.name)] = replace(job, reads=reads, writes=writes)
                made |= set(writes)
    return _Graph(stages, rows, {suite: (held, total) for suite, held, total in checks.rows})


def _read_written(store: Store, unit: str) -> dict[str, list[str]]:
    """Return the tables that each stage of the unit wrote rows of, by its OpenLineage events; {} without."""
    written = {}
    for file in store.names("lineage"):
        if file.startswith(f"{unit}-") and file.endswith(".jsonl"):
            for line in store.read_bytes(f"lineage/{file}").splitlines():
                with suppress(ValueError):  # the last line of a run that was killed
                    event = read_json(line)
                    stage = event["job"]["name"].rpartition(".")[2]
                    if event["eventType"] == "COMPLETE":
                        written[stage] = [_table_with_rows(output) for output in event["outputs"]]
    return {stage: [name for name in tables if name] for stage, tables in written.items()}


def _table_with_rows(output: JsonObject) -> str:
    statistics = output.get("outputFacets", {}).get("outputStatistics", {})
    return output["name"].rpartition("/")[2] if statistics.get("rowCount") else ""


def _draw(graph: _Graph, kept: Mapping[str, str]) -> Iterator[str]:
    """Yield the graph in Graphviz's language; every name in it is one of ours, or quoted."""
    yield "digraph lineage { rankdir=LR; bgcolor=transparent; nodesep=.15; ranksep=.5;"
    yield 'node [fontname="sans-serif", fontsize=11, target="_self"];'
    for node, job in graph.stages.items():
        label = node.stage if not is_evaluation(node.unit) else f"{node.stage}\n@{split_unit(node.unit)[1]}"
        link = _link(kept, label, stage=_text(node))
        yield f'{_name(node)} [shape=box, style=filled, fillcolor="#dbe7f5", {link}];'
        yield from (f"{_name(table)} -> {_name(node)};" for table in job.reads)
        yield from (f"{_name(node)} -> {_name(table)};" for table in job.writes)
    for table, rows in graph.rows.items():
        held, total = graph.checks.get(table, (0, 0))
        checks = f"\n{held:,} of {total:,} checks" if total else ""
        color = "#f7c6c5" if held < total else "#ffffff"
        label = f"{table}\n{rows:,} rows{checks}"
        yield f'{_name(table)} [style=filled, fillcolor="{color}", {_link(kept, label, table=table)}];'
    yield "}"


def _name(node: StageNode | str) -> str:
    return json.dumps(node if isinstance(node, str) else f"stage {_text(node)}")


def _text(node: StageNode) -> str:
    return f"{node.unit}/{node.stage}"


def _link(kept: Mapping[str, str], label: str, **chosen: str) -> str:
    return f"label={json.dumps(label)}, URL={json.dumps('?' + urlencode({**kept, **chosen}))}"


def _show_figure(
    visit: Visit, edition: Opened, figure: str, columns: Sequence[DeltaGenerator]
) -> dict[str, str]:
    """Show values of the figure for a player and setting, and the answers behind them; return the choice."""
    of_figure = f"statistics WHERE statistic = {quote(figure)} AND player <> ''"
    chosen = {
        name: choose(name.capitalize(), edition.values(name, of_figure), name, column=column)
        for column, name in zip(columns, ("player", "setting"), strict=True)
    }
    player, setting = quote(chosen["player"]), quote(chosen["setting"])
    show_rows("figure", edition.query(_VALUES.format(quote(figure), player, setting)))
    st.caption("The answers behind it, with the model and template that they came from:")
    show_rows("behind", edition.query(_BEHIND.format(player, setting)))
    with st.container(horizontal=True):
        for page, label in (("episodes", "Its episodes"), ("instances", "Its instances")):
            visit.link(page, label, edition=edition.name, **chosen)
        calls = (
            "SELECT c.* FROM calls AS c JOIN (SELECT evaluation, unnest(call_ids) AS call_id FROM lineage "
            f"WHERE player = {player} AND setting = {setting}) AS l USING (evaluation, call_id)"
        )
        visit.link("sql", "Its model calls", sql=calls)
    return {"figure": figure, **chosen}


def _show_stage(visit: Visit, edition: Opened, graph: _Graph, chosen: str) -> None:
    node = next((node for node in graph.stages if _text(node) == chosen), None)
    if node is None:
        raise InvalidOption(
            f"stage {chosen!r} of the link is not part of this lineage: choose one in the drawing"
        )
    job = graph.stages[node]
    st.header(f"Stage {plain(node.stage)} of {plain(node.unit)}")
    st.text(job.doc)
    for title, tables in (("It reads", job.reads), ("It writes", job.writes)):
        if tables:
            st.caption(title)
            _link_tables(visit, edition, tables)
    if "calls" in job.writes:
        evaluation = quote(split_unit(node.unit)[1])
        st.caption("Model calls of its edition or evaluation")
        sql = (
            "SELECT role, model, template, status, count(*) AS calls, sum(cost_usd) AS cost_usd "
            f"FROM calls WHERE evaluation = {evaluation} GROUP BY ALL ORDER BY ALL"
        )
        show_rows("calls", edition.query(sql))


def _show_table(visit: Visit, edition: Opened, graph: _Graph, table: str) -> None:
    if table not in graph.rows:
        raise InvalidOption(
            f"table {table!r} of the link is not part of this lineage: choose one in the drawing"
        )
    st.header(f"Table {table}")
    st.text(f"A row is {TABLES[table].row}.")
    makers = [node for node, job in graph.stages.items() if table in job.writes]
    readers = [node for node, job in graph.stages.items() if table in job.reads]
    for title, nodes in (("Written by", makers), ("Read by", readers)):
        if nodes:
            st.caption(title)
            with st.container(horizontal=True):
                for node in nodes:
                    visit.link("lineage", _text(node), edition=edition.name, stage=_text(node))
    origins = tuple(
        (column, f"{origin.table}.{origin.column}", origin.kind.lower())
        for column, listed in column_origins(table).items()
        for origin in listed
    )
    if origins:
        st.caption("Where its columns come from, of those that come from other tables")
        show_rows("origins", Rows(("column", "from", "how"), origins))
    st.caption("What was checked about it before it was published")
    checks = (
        f"SELECT evaluation, expectation, success, unexpected_count FROM audits WHERE suite = {quote(table)}"
    )
    show_query("checks", edition.snapshot, f"{checks} ORDER BY success, expectation")
    st.caption("Its rows")
    show_query("rows", edition.snapshot, f"FROM {table}")


def _link_tables(visit: Visit, edition: Opened, tables: Sequence[str]) -> None:
    with st.container(horizontal=True):
        for table in tables:
            visit.link("lineage", table, edition=edition.name, table=table)


LINEAGE = Page("lineage", "Lineage", show)
