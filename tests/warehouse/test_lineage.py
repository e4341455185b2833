"""The OpenLineage events of a refresh: complete, and true to the tables."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.serde import Serde

from perennial.flows.stages.grow import list_jobs
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.tables import TABLES
from perennial.warehouse.lineage import (
    Origin,
    StageGraph,
    StageNode,
    StageTables,
    column_origins,
    origin_tables,
    parent_tables,
)
from perennial.warehouse.lineage_events import RefreshEvents, Written, root_namespace

PLAN = EditionPlan("e1", "kumo", {}, seed=0, known_editions=(), code_version="0.1.0")
PLAY = EvaluationPlan("e1", "1", "kumo", ("algorithm-3",), runs=1, seed=0, code_version="0.1.0")
LATER = replace(PLAN, known_editions=("e0",))
STAGES, PLAYING = (list_jobs(unit, "kumo") for unit in ("e1", "e1@1"))
# Of each benchmark: its plans and jobs of an edition, and of an evaluation.
UNITS = [
    (plan, list_jobs(unit, benchmark))
    for benchmark in benchmarks()
    for unit, plan in (
        ("e1", replace(PLAN, benchmark=benchmark)),
        ("e1@1", replace(PLAY, benchmark=benchmark)),
    )
]
# Made where a model is asked or a person plays, and brought in from elsewhere.
UNSTAGED = {"calls", "messages", "participants", "external_scores", "scale", "published_scores"}
UNSTAGED |= {"a2rbench_published", "knowlogic_verdicts"}


def _json(*events: Any) -> list[dict[str, Any]]:
    return [json.loads(Serde.to_json(event)) for event in events]


def _whole(events: RefreshEvents, stages: tuple[StageTables, ...] = STAGES) -> list[dict[str, Any]]:
    """Return the events of work in which every stage runs and a model is asked in each."""
    told = [events.refresh_started()]
    for stage in stages:
        told.append(events.stage_started(stage.name))
        counted = {*stage.writes, "calls", "messages"} - {"editions", "evaluations"}
        counts = dict.fromkeys(counted, 3)
        told += [events.batch_done({**counts, "api_errors": 1}), *events.stage_done(counts)]
    tables = {name: Written(3, 1000) for name in TABLES if name != "external_scores"}
    return _json(*told, events.complete(tables))


def _rows_of(event: dict[str, Any]) -> dict[str, int]:
    """Return how many rows the event tells of each table."""
    return {
        output["name"].removeprefix("tables/"): output["outputFacets"]["outputStatistics"]["rowCount"]
        for output in event["outputs"]
    }


def find_misplaced(event: dict[str, Any]) -> list[str]:
    """The facets that are not under the key which OpenLineage names for them.

    Their types are held by mypy, their times, URLs and ids by the client's classes, which refuse others.
    """
    holders = (event["run"], event["job"], *event["inputs"], *event["outputs"])
    bags = [bag for holder in holders for name, bag in holder.items() if name.lower().endswith("facets")]
    facets = [facet for bag in bags for facet in bag.items()]
    assert facets
    return [key for key, facet in facets if _key(facet["_schemaURL"].rpartition("/")[2]) != key]


def _key(made_of: str) -> str:
    bare = re.sub("(Input|Output)?(Dataset|Run|Job)Facet$", "", made_of)
    own = {"DatasetVersion": "version", "ProcessingEngine": "processing_engine"}
    return own.get(bare, bare[0].lower() + bare[1:])


def test_every_facet_is_under_its_key() -> None:
    scheduled = datetime(2026, 1, 1, 3, tzinfo=UTC)
    events = _whole(RefreshEvents("data", LATER, STAGES, scheduled_for=scheduled, has_scores=True))
    ended = RefreshEvents("s3://bucket/data", PLAN, STAGES)
    started = _json(ended.refresh_started(), ended.stage_started("sample"))
    failed = _json(*ended.end("InvalidOption: too many"))
    played = _whole(RefreshEvents("data", PLAY, PLAYING, is_first_evaluation=True), PLAYING)
    assert [facet for event in (*events, *started, *failed, *played) for facet in find_misplaced(event)] == []


@pytest.mark.parametrize(
    ("plan", "stages", "job"),
    [(PLAN, STAGES, "refresh"), (PLAY, PLAYING, "evaluate")],
    ids=["edition", "evaluation"],
)
def test_each_run_starts_once_and_ends_once(plan: Any, stages: tuple[StageTables, ...], job: str) -> None:
    events = _whole(RefreshEvents("data", plan, stages), stages)
    runs: dict[tuple[str, str], list[str]] = {}
    for event in events:
        runs.setdefault((event["job"]["name"], event["run"]["runId"]), []).append(event["eventType"])
    assert {name for name, _ in runs} == {job, *(f"{job}.{stage.name}" for stage in stages)}
    assert len(runs) == len(stages) + 1
    for states in runs.values():
        assert states[0] == "START"
        assert states[-1] == "COMPLETE"
        assert set(states[1:-1]) == {"RUNNING"}


def test_stages_name_the_refresh_as_their_parent() -> None:
    events = _whole(RefreshEvents("data", PLAN, STAGES))
    refresh = events[0]["run"]["runId"]
    for event in events:
        parent = event["run"]["facets"].get("parent")
        assert (parent is None) == (event["job"]["name"] == "refresh")
        if parent is not None:
            assert parent["run"] == parent["root"]["run"] == {"runId": refresh, "facets": {}}
            assert parent["job"]["name"] == "refresh"


def test_a_schedule_is_told_and_nothing_else_is_called_one() -> None:
    scheduled = RefreshEvents("data", PLAN, STAGES, scheduled_for=datetime(2026, 1, 1, 3, tzinfo=UTC))
    by_hand = RefreshEvents("data", PLAN, STAGES)
    (first, second) = _json(scheduled.refresh_started(), by_hand.refresh_started())
    assert first["run"]["facets"]["nominalTime"]["nominalStartTime"] == "2026-01-01T03:00:00.000Z"
    assert "nominalTime" not in second["run"]["facets"]


@pytest.mark.slow
def test_column_lineage_names_only_datasets_of_the_event_and_columns_that_exist() -> None:
    told = set()
    events = [_whole(RefreshEvents("data", plan, jobs, has_scores=True), jobs) for plan, jobs in UNITS]
    for event in chain.from_iterable(events):
        names = {dataset["name"] for dataset in (*event["inputs"], *event["outputs"])}
        for output in event["outputs"]:
            for column, lineage in output["facets"].get("columnLineage", {}).get("fields", {}).items():
                assert TABLES[output["name"].removeprefix("tables/")].column(column)
                for field in lineage["inputFields"]:
                    assert field["name"] in names
                    assert TABLES[field["name"].removeprefix("tables/")].column(field["field"])
                    told.add((output["name"], column, field["name"], field["field"]))
    listed = {
        (f"tables/{table}", column, f"tables/{origin.table}", origin.column)
        for table in TABLES
        for column, origins in column_origins(table).items()
        for origin in origins
    }
    assert told == listed


def test_references_are_column_lineage() -> None:
    for table in TABLES.values():
        for reference in table.references:
            expected = (Origin(reference.to_table, reference.to_column, "IDENTITY"),)
            assert column_origins(table.name)[reference.column] == expected
    assert Origin("episodes", "success", "AGGREGATION") in column_origins("statistics")["value"]
    assert origin_tables("kumo_outcomes") == ("kumo_seed_configs",)


def test_no_table_is_among_its_ancestors_and_parents_are_origins() -> None:
    parents = {table: parent_tables(table) for table in TABLES}
    assert set(TopologicalSorter(parents).static_order()) == set(TABLES)  # else it raises CycleError
    assert parents["kumo_instances"] == ("kumo_seed_configs",)
    assert {"kumo_instances", "knowlogic_questions"} <= set(parents["instances"])
    assert parents["audits"] == tuple(
        name for name in TABLES if name in {*parents["validations"], "validations"}
    )
    for table in set(TABLES) - {"audits", "validations"}:
        assert set(parents[table]) <= set(origin_tables(table))


def test_a_stage_waits_for_those_that_wrote_what_it_reads() -> None:
    graph = StageGraph()

    def add(unit: str, stage: str, reads: str = "", writes: str = "") -> list[str]:
        tables = StageTables(stage, "", tuple(reads.split()), tuple(writes.split()))
        return ["/".join(other) for other in graph.add(StageNode(unit, stage), tables)]

    assert add("e", "draw", writes="instances") == []
    assert add("e", "alter", "instances", "instances rejections") == ["e/draw"]
    assert add("e", "check", "rejections") == ["e/alter"]
    # Publishing waits for a check that writes nothing, too.
    assert add("e", "publish", "instances", "editions") == ["e/draw", "e/alter", "e/check"]
    assert add("e@1", "episodes", "instances", "episodes") == ["e/publish"]
    assert add("e@1", "publish", "instances episodes", "evaluations") == ["e/publish", "e@1/episodes"]
    # Another edition of the same run.
    assert add("f", "check", "instances") == []


def test_every_table_is_made_by_a_stage() -> None:
    written = {table for _, jobs in UNITS for stage in jobs for table in stage.writes}
    assert written == set(TABLES) - UNSTAGED
    stages = {stage.name: stage for stage in STAGES}
    assert stages["books"].list_written(["kumo_books", "calls"]) == ("calls", "rejections", "kumo_books")
    # What publishing counts are the tables that it read.
    assert stages["publish"].list_written(["kumo_books"]) == ("editions", "validations", "audits")
    written = PLAYING[-1].list_written(["turns", "audits", "statistics"])
    assert written == ("evaluations", "statistics", "validations", "audits")


def test_the_stages_are_those_that_were_passed() -> None:
    grow = StageTables("grow", "Grows questions.", ("kumo_domains",), ("audits",), ("kumo_instances",))
    events = RefreshEvents("data", LATER, (grow,))
    (started,) = _json(events.stage_started("grow"))
    assert started["job"]["name"] == "refresh.grow"
    assert started["job"]["facets"]["documentation"]["description"] == "Grows questions."
    assert [dataset["name"] for dataset in started["inputs"]] == [
        "tables/kumo_domains",
        "tables/kumo_instances",
    ]
    assert [dataset["name"] for dataset in started["outputs"]] == ["tables/audits"]


def test_a_complete_stage_tells_schema_rows_and_version() -> None:
    events = RefreshEvents("data", PLAY, PLAYING)
    counts = {"episodes": 120, "turns": 476, "kumo_episodes": 120, "kumo_moves": 476}
    counts |= {"kumo_beliefs": 0, "kumo_outcome_runs": 0, "participants": 0}
    _json(events.stage_started("episodes"))
    done, running = _json(*events.stage_done({**counts, "api_errors": 2}))
    assert _rows_of(done) == counts
    (episodes,) = [output for output in done["outputs"] if output["name"] == "tables/episodes"]
    assert episodes["facets"]["version"]["datasetVersion"] == "e1@1"
    fields = episodes["facets"]["schema"]["fields"]
    assert [(field["name"], field["type"], field["description"]) for field in fields] == [
        (column.name, column.type, column.doc) for column in TABLES["episodes"].file_columns
    ]
    assert [field["ordinal_position"] for field in fields] == list(range(1, len(fields) + 1))
    assert {dataset["name"] for dataset in done["inputs"]} == {
        "tables/kumo_seed_configs",
        "tables/instances",
        "tables/kumo_instances",
        "tables/kumo_books",
    }
    assert _rows_of(running) == counts


def test_publishing_counts_the_whole_edition_and_the_refresh_ends_next() -> None:
    events = RefreshEvents("data", PLAN, STAGES)
    events.stage_started("overlap")
    events.stage_done({"audits": 20})
    events.stage_started("publish")
    (done,) = _json(*events.stage_done({"audits": 188, "validations": 26, "kumo_books": 24}))
    published = {"audits": Written(188, 1000), "validations": Written(26), "editions": Written(1)}
    (ended,) = _json(events.complete(published))
    for event in (done, ended):
        assert _rows_of(event) == {"audits": 188, "validations": 26, "editions": 1}
    (audits,) = [output for output in ended["outputs"] if output["name"] == "tables/audits"]
    assert audits["outputFacets"]["outputStatistics"]["size"] == 1000


def test_rows_so_far_add_up_over_batches_and_begin_anew_with_a_stage() -> None:
    events = RefreshEvents("data", PLAN, STAGES)
    rows = []
    for stage, table in (("sample", "kumo_instances"), ("books", "kumo_books")):
        events.stage_started(stage)
        for _ in range(2):
            (event,) = _json(events.batch_done({table: 5}))
            rows.append(_rows_of(event))
        events.stage_done({table: 10})
    assert rows == [{"kumo_instances": 5}, {"kumo_instances": 10}, {"kumo_books": 5}, {"kumo_books": 10}]


def test_the_rows_of_the_refresh_add_up_over_stages_that_write_the_same_table() -> None:
    events = RefreshEvents("data", PLAN, STAGES)
    for stage, counts in (
        ("domains", {"kumo_domains": 2, "kumo_seed_configs": 2}),
        ("proposals", {"kumo_domains": 3}),
    ):
        events.stage_started(stage)
        (_, running) = _json(*events.stage_done(counts))
    expected = {"kumo_domains": 5, "kumo_seed_configs": 2, "kumo_outcomes": 0, "rejections": 0}
    assert _rows_of(running) == expected


def test_a_failure_ends_the_stage_and_the_refresh_and_an_abort_has_no_message() -> None:
    for message, state in (("AuditFailed: 3 rows", "FAIL"), (None, "ABORT")):
        events = RefreshEvents("data", PLAN, STAGES)
        (started,) = _json(events.stage_started("books"))
        ended = _json(*events.end(message))
        assert [event["job"]["name"] for event in ended] == ["refresh.books", "refresh"]
        assert {event["eventType"] for event in ended} == {state}
        assert ended[0]["run"]["runId"] == started["run"]["runId"]
        told = [event["run"]["facets"].get("errorMessage", {}).get("message") for event in ended]
        assert told == [message, message]
    between = RefreshEvents("data", PLAN, STAGES)
    between.stage_started("books")
    between.stage_done({"kumo_books": 5})
    assert [event["job"]["name"] for event in _json(*between.end("x"))] == ["refresh"]


def test_earlier_editions_are_read_where_there_are_any_and_a_first_edition_creates_the_tables() -> None:
    for plan in (PLAN, LATER):
        events = RefreshEvents("data", plan, STAGES)
        (started,) = _json(events.stage_started("sample"))
        (done, _) = _json(*events.stage_done({"kumo_instances": 5}))
        inputs = [dataset["name"] for dataset in started["inputs"]]
        assert ("tables/instances" in inputs) == bool(plan.known_editions)
        created = ["lifecycleStateChange" in output["facets"] for output in done["outputs"]]
        assert all(created) or not any(created)
        assert created[0] == (not plan.known_editions)


def test_scores_are_read_by_the_statistics_where_there_are_any() -> None:
    for has_scores in (True, False):
        (event,) = _json(RefreshEvents("data", PLAY, PLAYING, has_scores=has_scores).stage_started("publish"))
        assert ("tables/external_scores" in [d["name"] for d in event["inputs"]]) == has_scores


@pytest.mark.parametrize(
    ("root", "namespace"),
    [
        ("/srv/data", "file:///srv/data"),
        ("/srv/data/", "file:///srv/data"),
        ("file:///srv/data", "file:///srv/data"),
        ("warehouse/data", f"file://{Path.cwd()}/warehouse/data"),
        ("s3://bucket/data/", "s3://bucket/data"),
        ("s3://key:secret@bucket/data?token=1", "s3://bucket/data"),
    ],
)
def test_the_namespace_is_the_root_without_credentials(root: str, namespace: str) -> None:
    assert root_namespace(root) == namespace
