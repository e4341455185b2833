"""The checks of the contract, in order: each looks at a sample and raises UnusableBenchmark, or what it met.

That templates can be rendered, stages staged and rows audited shows when the sample is made.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from markupsafe import escape

from perennial.flows.benchmark import Benchmark
from perennial.flows.contract.pages import check_pages
from perennial.flows.contract.practice import check_practice
from perennial.flows.contract.sample import Sample
from perennial.flows.editions.figure_data import read_figures
from perennial.flows.editions.report import report_data
from perennial.flows.editions.report_files import write_page, write_tables
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.export.export_edition import ExportForm, check_sums, export_edition
from perennial.flows.website.build import build_site
from perennial.schemas.errors import UnusableBenchmark
from perennial.schemas.game import EPISODE_STATUSES, Episode, Seat
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import CallStatus, ModelChoice, ModelRequest, Reply, StageEstimate
from perennial.schemas.tables import SHARED_TABLES, TABLES
from perennial.tasks.play import ModelPlayer, play_model, play_program
from perennial.tasks.report.content import Figure
from perennial.tasks.website.names import benchmark_file, edition_file
from perennial.warehouse.catalog.catalog import open_catalog
from perennial.warehouse.catalog.dictionary import (
    SHARED,
    describe_columns,
    question_of,
    question_views,
    view_names,
)

_MODEL = "contract-model"
_QUESTIONS = 3  # that programs and a model play
_MOST_CALLS = 1_000  # of an episode whose replies say nothing
_REPLIES: dict[str, CallStatus] = {"I do not know.": "ok", "": "empty"}


def check_documentation(sample: Sample) -> None:
    """Tables begin with the benchmark's name; tables, columns and views say what they hold."""
    own = sample.benchmark.declaration
    shared = {table.name for table in SHARED_TABLES}
    for table in own.tables:
        _require(table.name.startswith(f"{own.name}_"), f"table {table.name!r} must begin with {own.name}_")
        _require(bool(table.row), f"table {table.name!r} must say what a row is (`row`)")
        _require(bool(table.key), f"table {table.name!r} must have a key")
        for name in (*table.key, *(link.column for link in table.references)):
            table.column(name)
        for column in table.columns:
            _require(bool(column.doc), f"column {table.name}.{column.name} must say what it means (`doc`)")
        for link in table.references:
            known = link.to_table in shared or link.to_table in {one.name for one in own.tables}
            _require(
                known, f"table {table.name!r} refers to {link.to_table!r}, which is not one of its tables"
            )
            TABLES[link.to_table].column(link.to_column)
        if table.extends:
            _require(
                TABLES[table.extends].key == table.key,
                f"table {table.name!r} extends {table.extends!r}, so it must have the same key",
            )
    for view in view_names(own.sql) if own.sql else ():
        _require(view not in view_names(SHARED), f"view {view!r} has the name of a shared view")
        question = question_of(question_views()[view])
        _require("?" in question, f"view {view!r} must open with a comment that asks its question")
        describe_columns(view)


def check_estimate(sample: Sample) -> None:
    """The estimates of a refresh and of an evaluation count at least a call per episode of a model."""
    total, runs = _count(sample, "instances"), 7
    plan = replace(sample.evaluation, players=(_MODEL,), runs=runs)
    refresh = sample.benchmark.estimate(sample.store, plan, {}, sample.prepared.own)
    evaluation = sample.benchmark.estimate(sample.store, plan, {}, None)
    for what, rows in (("estimate of a refresh", refresh), ("estimate of an evaluation", evaluation)):
        of_model: list[StageEstimate] = [row for row in rows if row.model == _MODEL]
        calls = sum(row.calls_low for row in of_model)
        _require(
            calls >= total * runs,
            f"{what}: expected at least {total * runs:,} calls of a model for {total:,} questions and {runs} "
            f"runs, and it says {calls:,}",
        )
        _require(
            all(row.calls_high >= row.calls_low and row.prompt_tokens > 0 for row in of_model),
            f"{what}: expected tokens of prompts, and no fewer calls at most than at least",
        )
    counted = sample.prepared.own.counts.get("instances")
    _require(counted == total, f"Preparation.counts says {counted} instances, and {total} were published")


def check_views(sample: Sample) -> None:
    """The leaderboard has each player in each setting, and each view of the benchmark can be read."""
    catalog = open_catalog(sample.store)
    found = {player for (player,) in catalog.query("SELECT DISTINCT player FROM leaderboard")[1]}
    _require(found == set(sample.evaluation.players), f"the leaderboard has {sorted(found)} alone")
    for view in view_names(sample.benchmark.declaration.sql) if sample.benchmark.declaration.sql else ():
        catalog.query(f"FROM {view}")
    if sample.benchmark.declaration.answers:
        rows = catalog.count(f"FROM ({sample.benchmark.declaration.answers})")
        _require(rows == _count(sample, "episodes"), f"`answers` has {rows} rows: expected one per episode")


def check_play(sample: Sample) -> None:
    """Programs play again as before, and a model that says nothing of use ends without success."""
    benchmark = sample.benchmark
    for seat in _take_seats(sample):
        for name in sample.evaluation.players:
            program = benchmark.programs[name]
            episode, again = (
                play_program(program, seat.start(), 0, derive_rng(1, "contract", 0)) for _ in range(2)
            )
            _check_episode(seat, episode)
            _require(episode == again, f"program {name!r} differs on {seat.instance_id} with the same draws")
        for variant in ("", *benchmark.variants):
            for text, status in _REPLIES.items():
                _check_vain_replies(seat, variant, text, status)
        if benchmark.offers(Benchmark.draw_sheet):
            sheet = benchmark.draw_sheet(seat.start())
            _require(bool(sheet.book), f"{seat.instance_id}: a person is shown no text (`Sheet.book`)")


def _check_vain_replies(seat: Seat, variant: str, text: str, status: CallStatus) -> None:
    calls = 0

    async def answer(request: ModelRequest) -> Reply:
        nonlocal calls
        calls += 1
        _require(calls <= _MOST_CALLS, f"{seat.instance_id} continues after {_MOST_CALLS:,} replies {text!r}")
        return Reply(request.call_id, status, text)

    name = f"{variant}:{_MODEL}" if variant else _MODEL
    player = ModelPlayer(name, ModelChoice(_MODEL, {}), variant)
    episode = asyncio.run(play_model(answer, player, seat.start(), 0))
    _check_episode(seat, episode)
    _require(not episode.success, f"{seat.instance_id} is solved by the reply {text!r}")


def _check_episode(seat: Seat, episode: Episode) -> None:
    result = episode.result
    where = f"{seat.instance_id}, player {episode.player!r}"
    _require(result.status in EPISODE_STATUSES, f"{where}: status {result.status!r} is none that there is")
    _require(result.success == (result.status == "solved"), f"{where}: success is what `solved` says")
    _require(0 <= result.score <= 1, f"{where}: score {result.score} is not from 0 to 1")
    for table, rows in seat.own_rows(seat.episode_id(episode.player, 0), episode).items():
        expected = {column.name for column in TABLES[table].columns}
        for row in rows:
            _require(set(row) <= expected, f"{where}: {table} has no column {sorted(set(row) - expected)}")


def check_report(sample: Sample) -> None:
    """The report names each player, and each figure is drawn of the queries that it declares."""
    data = report_data(sample.store, sample.growth.edition)
    page = write_page(data, _new_folder(sample)).read_text(encoding="utf-8")
    for player in sample.evaluation.players:
        _require(player in page, f"the report does not name player {player!r}")
    write_tables(data, _new_folder(sample), "csv")
    own = sample.benchmark.report()
    for figure in (*own.figures, *own.explored):
        _check_figure(sample, figure, set(data.tables))


def _check_figure(sample: Sample, figure: Figure, tables: set[str]) -> None:
    """Draw the figure of the queries that it declares, as the explorer does."""
    plan, benchmark = sample.growth, sample.benchmark
    read = open_catalog(sample.store).query
    try:
        alone = read_figures(read, plan.edition, benchmark, [figure], lambda: plan.public_seed)
        section = figure(alone)
    except KeyError as error:
        _require(
            error.args[0] not in tables,
            f"figure {figure.key!r} reads {error}, which its @figure does not name",
        )
        raise
    named = (section.key, section.title)
    _require(named == (figure.key, figure.title), f"figure {figure.key!r} returns a section of another name")


def check_export(sample: Sample) -> None:
    """An export holds what was published, and questions as lines with what a model is shown."""
    one_shot = sample.benchmark.one_shot
    for form in (ExportForm.parquet, ExportForm.jsonl, *([ExportForm.lm_eval] if one_shot else [])):
        folder = _new_folder(sample) / "export"
        answers = form is ExportForm.lm_eval
        export_edition(sample.store, sample.growth.edition, folder, form=form, with_answers=answers)
        check_sums(folder)


def check_website(sample: Sample) -> None:
    """The website has a page of the benchmark with an example, and names every program on the edition's."""
    folder = _new_folder(sample) / "site"
    build_site(sample.store, folder)
    page = (folder / benchmark_file(sample.benchmark.name)).read_text(encoding="utf-8")
    if sample.benchmark.offers(Benchmark.presentation):
        title = str(escape(sample.benchmark.presentation().title))
        _require(title in page, f"the website's page does not name {title!r} (`presentation`)")
    players = open_catalog(sample.store).query("SELECT DISTINCT player FROM episodes ORDER BY ALL")[1]
    edition = (folder / edition_file(sample.growth.edition)).read_text(encoding="utf-8")
    for (player,) in players:
        _require(str(escape(player)) in edition, f"the edition's page does not name player {player!r}")
    _require('class="example"' in page, "the website's page shows no example of a question (`presentation`)")


def check_reproduction(sample: Sample) -> None:
    """Questions and answers come back the same from seed and plan."""
    for unit in (sample.growth.unit, sample.evaluation.unit):
        result = reproduce_unit(sample.store, unit, _new_folder(sample))
        differing = [table.table for table in result.tables if not table.same_rows]
        _require(result.same, f"{unit} is not the same when it is made again: {', '.join(differing)}")


CHECKS: Mapping[str, Callable[[Sample], None]] = {
    "documentation": check_documentation,
    "estimate": check_estimate,
    "views": check_views,
    "play": check_play,
    "report": check_report,
    "export": check_export,
    "practice": check_practice,
    "pages": check_pages,
    "website": check_website,
    "reproduction": check_reproduction,
}


def _take_seats(sample: Sample) -> list[Seat]:
    sql = f"SELECT instance_id FROM instances WHERE edition = '{sample.growth.edition}' ORDER BY ALL"
    ids = [id_ for (id_,) in open_catalog(sample.store).query(sql)[1]][:_QUESTIONS]
    seats = sample.benchmark.take_seats(sample.store, sample.growth.edition, ids, sample.evaluation.protocol)
    _require(len(seats) == len(ids), f"`take_seats` gives {len(seats)} of {len(ids)} questions")
    return list(seats)


def _count(sample: Sample, table: str) -> int:
    return open_catalog(sample.store).count(f"FROM {table} WHERE edition = '{sample.growth.edition}'")


def _new_folder(sample: Sample) -> Path:
    return Path(mkdtemp(dir=sample.folder))


def _require(holds: bool, expected: str) -> None:
    if not holds:
        raise UnusableBenchmark(expected)
