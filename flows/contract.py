"""What every installed benchmark must do: `perennial benchmarks --check NAME`."""

import asyncio
import json
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from markupsafe import escape

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.editions.report import Read, read_figures, report_data
from perennial.flows.editions.report_files import write_page, write_tables
from perennial.flows.editions.reproduce import reproduce_unit
from perennial.flows.export.export_edition import ExportForm, check_sums, export_edition
from perennial.flows.practice.draw import PracticeQuestions, held_ids
from perennial.flows.practice.grade import grade, open_question
from perennial.flows.refresh.plan import PreparedRefresh, prepare_refresh, settle_seed
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.flows.website.build import build_site
from perennial.schemas.errors import InvalidOption, PerennialError, UnusableBenchmark, add_extra, in_one_line
from perennial.schemas.game import EPISODE_STATUSES, Episode, Seat
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import CallStatus, ModelChoice, ModelRequest, Reply, StageEstimate
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.practice import PracticeQuestion
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import load_settings
from perennial.schemas.settings.form import STANDARD
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
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

# A benchmark's own pages of `perennial web`, run without a server or a browser.

_PARTS = (Benchmark.show_instance, Benchmark.show_reference)


def check_pages(sample: "SampleEdition") -> None:
    """Its own pages of the explorer, and what it shows of an instance, run without an error."""
    parts = [page.name for page in sample.benchmark.pages()]
    parts += [method.__name__ for method in _PARTS if sample.benchmark.offers(method)]
    if not parts:
        return
    if find_spec("streamlit") is None:
        raise InvalidOption(f"its pages need a package that is not here: {add_extra('web')}")
    logging.disable(logging.WARNING)  # Streamlit warns that no browser is there
    try:
        _run_pages(sample, parts)
    finally:
        logging.disable(logging.NOTSET)


def _run_pages(sample: "SampleEdition", parts: list[str]) -> None:
    from streamlit.testing.v1 import AppTest

    for page in sample.benchmark.pages():
        if not page.name.startswith(f"{sample.benchmark.name}-"):
            raise UnusableBenchmark(f"page {page.name!r}: its name must begin with {sample.benchmark.name}-")
    arguments = (sample.store.root, sample.benchmark.name, sample.growth.edition)
    for part in parts:
        tested = AppTest.from_function(show_part, default_timeout=60, args=(*arguments, part)).run()
        errors = [error.value for error in tested.error] + [error.message for error in tested.exception]
        if errors:
            raise UnusableBenchmark(f"page {part!r} fails: {errors[0]}")


def show_part(root: str, benchmark: str, edition: str, part: str) -> None:
    """Show one page of the benchmark, or what it shows of an instance; this source is run as a script."""
    from perennial.flows.benchmark import find_benchmark
    from perennial.flows.web.page import Visit, read_snapshot

    implementation, visit = find_benchmark(benchmark), Visit(read_snapshot(root), {})
    pages = {page.name: page for page in implementation.pages()}
    if part in pages:
        pages[part].show(visit)
        return
    opened = visit.open_edition(edition)
    instance = opened.query("SELECT min(instance_id) FROM instances").rows[0][0]
    show = implementation.show_reference if part == "show_reference" else implementation.show_instance
    show(opened, instance)


# A benchmark's practice questions: drawn, written as lines, read back, played and graded.

_DRAWN = 3


def check_practice(sample: "SampleEdition") -> None:
    """Practice questions come back from their lines, are new, and are graded as its own game grades them."""
    if not sample.benchmark.offers(Benchmark.practice):
        return
    lines = _draw(sample, _DRAWN)
    _require(lines[:1] == _draw(sample, 1), "practice questions depend on how many are drawn")
    ids = [line["instance_id"] for line in lines]
    _require(len({*ids}) == len(ids), f"practice questions {ids} are drawn twice")
    for line in lines:
        _check_line(sample, json.loads(json.dumps(line)))


def _draw(sample: "SampleEdition", count: int) -> list[JsonObject]:
    questions = PracticeQuestions(sample.benchmark.name, 1, {}, held_ids(sample.store))
    return [question.as_json() for question in islice(questions, count)]


def _check_line(sample: "SampleEdition", line: JsonObject) -> None:
    where = f"practice question {line['instance_id']}"
    seat = sample.benchmark.practice().open_seat(PracticeQuestion.from_json(line))
    _require(seat.instance_id == line["instance_id"], f"{where}: its line gives {seat.instance_id}")
    _require(open_question(line).messages == line["question"], f"{where}: its line opens another game")
    _require(not grade(line, "I do not know.").success, f"{where}: it is solved by a reply that says nothing")
    solved = False
    for program in sample.benchmark.programs.values():
        try:
            episode = play_program(program, seat.start(), 0, derive_rng(1, "contract", 0))
        except PerennialError:
            continue  # it needs what only an edition holds, such as the optimum
        graded = grade(line, [turn.reply for turn in episode.turns])
        result = episode.result
        _require(
            (graded.status, graded.score) == (result.status, result.score),
            f"{where}: {program.name} has {graded} by its line, and {result} by its game",
        )
        solved = solved or result.success
    _require(solved, f"{where}: no program solves it")


# A small edition of a benchmark with its evaluation, made in this process, for the checks to look at.

EDITION = "contract"
_SMALLEST = "tiny"


@dataclass(frozen=True)
class SampleEdition:
    """A published edition and evaluation of a benchmark, and a folder for what a check writes."""

    benchmark: Benchmark
    store: Store
    prepared: PreparedRefresh
    growth: EditionPlan
    evaluation: EvaluationPlan
    folder: Path


def make_sample(name: str, folder: Path, **changed: object) -> SampleEdition:
    """Publish an edition of the benchmark's smallest size, played by its programs, in a root in the folder.

    `changed` are settings that differ. Raises what a refresh raises, InvalidOption where no such benchmark is
    installed.
    """
    benchmark = find_benchmark(name)
    size = _SMALLEST if _SMALLEST in benchmark.declaration.settings().sizes else STANDARD
    root = folder / "data"
    asked = {"benchmark": name, "size": size, "seed": 1, "runs": 1, "edition": EDITION, "root": str(root)}
    settings = load_settings(asked | changed)
    store = Store(settings.root)
    prepared = prepare_refresh(settings, store)
    refresh = settle_seed(prepared.plan, settings.seed, store)
    # As `perennial.flows.refresh.several.begin_run`: an edition that is staged has its evaluation's plan
    # beside it.
    for plan in (refresh.evaluation, refresh.growth):
        Staging(store, plan.unit).write_plan(plan)
    policies = Policies.read(settings, prepared.part.inputs)
    for plan in (refresh.growth, refresh.evaluation):
        grow(open_workspace(store.root, plan.unit), policies, PlainStages())
        audit_and_publish(store.root, plan.unit)
        Staging(store, plan.unit).remove()
    return SampleEdition(benchmark, store, prepared, refresh.growth, refresh.evaluation, folder)


# The checks of the contract, in order: each looks at a sample and raises UnusableBenchmark, or what it met.
#
# That templates can be rendered, stages staged and rows audited shows when the sample is made.

_MODEL = "contract-model"
_QUESTIONS = 3  # that programs and a model play
_MOST_CALLS = 1_000  # of an episode whose replies say nothing
_REPLIES: dict[str, CallStatus] = {"I do not know.": "ok", "": "empty"}


def check_documentation(sample: SampleEdition) -> None:
    """Tables begin with the benchmark's name; tables, columns and views say what they hold."""
    declaration = sample.benchmark.declaration
    shared = {table.name for table in SHARED_TABLES}
    for table in declaration.tables:
        prefix = f"{declaration.name}_"
        _require(table.name.startswith(prefix), f"table {table.name!r} must begin with {prefix}")
        _require(bool(table.row), f"table {table.name!r} must say what a row is (`row`)")
        _require(bool(table.key), f"table {table.name!r} must have a key")
        for name in (*table.key, *(link.column for link in table.references)):
            table.column(name)
        for column in table.columns:
            _require(bool(column.doc), f"column {table.name}.{column.name} must say what it means (`doc`)")
        for link in table.references:
            fits = link.to_table in shared or link.to_table in {other.name for other in declaration.tables}
            _require(
                fits, f"table {table.name!r} refers to {link.to_table!r}, which is not one of its tables"
            )
            TABLES[link.to_table].column(link.to_column)
        if table.extends:
            _require(
                TABLES[table.extends].key == table.key,
                f"table {table.name!r} extends {table.extends!r}, so it must have the same key",
            )
    for view in view_names(declaration.sql) if declaration.sql else ():
        _require(view not in view_names(SHARED), f"view {view!r} has the name of a shared view")
        question = question_of(question_views()[view])
        _require("?" in question, f"view {view!r} must open with a comment that asks its question")
        describe_columns(view)


def check_estimate(sample: SampleEdition) -> None:
    """The estimates of a refresh and of an evaluation count at least a call per episode of a model."""
    total, runs = _count(sample, "instances"), 7
    plan = replace(sample.evaluation, players=(_MODEL,), runs=runs)
    refresh = sample.benchmark.estimate(sample.store, plan, {}, sample.prepared.part)
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
    counted = sample.prepared.part.counts.get("instances")
    _require(counted == total, f"Preparation.counts says {counted} instances, and {total} were published")


def check_views(sample: SampleEdition) -> None:
    """The leaderboard has each player in each setting, and each view of the benchmark can be read."""
    catalog = open_catalog(sample.store)
    players = {player for (player,) in catalog.query("SELECT DISTINCT player FROM leaderboard")[1]}
    _require(players == set(sample.evaluation.players), f"the leaderboard has {sorted(players)} alone")
    for view in view_names(sample.benchmark.declaration.sql) if sample.benchmark.declaration.sql else ():
        catalog.query(f"FROM {view}")
    if sample.benchmark.declaration.answers:
        rows = catalog.count(f"FROM ({sample.benchmark.declaration.answers})")
        _require(rows == _count(sample, "episodes"), f"`answers` has {rows} rows: expected one per episode")


def check_play(sample: SampleEdition) -> None:
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


def check_report(sample: SampleEdition) -> None:
    """The report names each player, and each figure is drawn of the queries that it declares."""
    data = report_data(sample.store, sample.growth.edition)
    page = write_page(data, _new_folder(sample)).read_text(encoding="utf-8")
    for player in sample.evaluation.players:
        _require(player in page, f"the report does not name player {player!r}")
    write_tables(data, _new_folder(sample), "csv")
    report, read = sample.benchmark.report(), open_catalog(sample.store).query
    for figure in (*report.figures, *report.explored):
        _check_figure(sample, figure, set(data.tables), read)


def _check_figure(sample: SampleEdition, figure: Figure, tables: set[str], read: Read) -> None:
    """Draw the figure of the queries that it declares, as the explorer does."""
    plan, benchmark = sample.growth, sample.benchmark
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


def check_export(sample: SampleEdition) -> None:
    """An export holds what was published, and questions as lines with what a model is shown."""
    one_shot = sample.benchmark.one_shot
    for form in (ExportForm.parquet, ExportForm.jsonl, *([ExportForm.lm_eval] if one_shot else [])):
        folder = _new_folder(sample) / "export"
        answers = form is ExportForm.lm_eval
        export_edition(sample.store, sample.growth.edition, folder, form=form, with_answers=answers)
        check_sums(folder)


def check_website(sample: SampleEdition) -> None:
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


def check_reproduction(sample: SampleEdition) -> None:
    """Questions and answers come back the same from seed and plan."""
    for unit in (sample.growth.unit, sample.evaluation.unit):
        result = reproduce_unit(sample.store, unit, _new_folder(sample))
        differing = [table.table for table in result.tables if not table.same_rows]
        _require(result.same, f"{unit} is not the same when it is made again: {', '.join(differing)}")


CHECKS: Mapping[str, Callable[[SampleEdition], None]] = {
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


def _take_seats(sample: SampleEdition) -> list[Seat]:
    sql = f"SELECT instance_id FROM instances WHERE edition = '{sample.growth.edition}' ORDER BY ALL"
    ids = [id_ for (id_,) in open_catalog(sample.store).query(sql)[1]][:_QUESTIONS]
    seats = sample.benchmark.take_seats(sample.store, sample.growth.edition, ids, sample.evaluation.protocol)
    _require(len(seats) == len(ids), f"`take_seats` gives {len(seats)} of {len(ids)} questions")
    return list(seats)


def _count(sample: SampleEdition, table: str) -> int:
    return open_catalog(sample.store).count(f"FROM {table} WHERE edition = '{sample.growth.edition}'")


def _new_folder(sample: SampleEdition) -> Path:
    return Path(mkdtemp(dir=sample.folder))


def _require(holds: bool, expected: str) -> None:
    if not holds:
        raise UnusableBenchmark(expected)


# Check a benchmark against the contract, one check after the other.

GROW = "refresh"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What became of a check: `error` says why it failed, "" where it passed; `doc` what it checks."""

    check: str
    doc: str
    error: str = ""


def check_benchmark(name: str, step: Callable[[str], None] = lambda _name: None) -> Iterator[CheckOutcome]:
    """Run each check and yield its outcome; `step` gets the name of each before it begins.

    Where no sample can be made, it is the only one. Raises InvalidOption where no such benchmark is
    installed.
    """
    find_benchmark(name)
    with TemporaryDirectory(prefix="perennial-contract-", ignore_cleanup_errors=True) as folder:
        step(GROW)
        doc = "A small edition is grown, audited and published, and programs play it."
        try:
            sample = make_sample(name, Path(folder))
        except Exception as error:  # noqa: BLE001  a plugin raises what it likes
            yield CheckOutcome(GROW, doc, _describe(error))
            return
        yield CheckOutcome(GROW, doc)
        for check, run in CHECKS.items():
            step(check)
            failed = ""
            try:
                run(sample)
            except Exception as error:  # noqa: BLE001
                failed = _describe(error)
            yield CheckOutcome(check, in_one_line(run.__doc__), failed)


def _describe(error: Exception) -> str:
    """The error in one line; a foreign one with its class and where it was raised."""
    if isinstance(error, PerennialError):
        return in_one_line(error)
    *_, last = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__}: {in_one_line(error)} ({last.filename}, line {last.lineno})"
