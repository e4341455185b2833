"""The figures of an edition, from the answers of its evaluations alone: no model is called.

`warehouse/catalog/count_cells.py` counts; `tasks/statistics` computes from columns of counts, a batch (a
setting and some of its players) at a time, in any process that sees the files.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from perennial.flows.benchmark import find_benchmark, find_installed
from perennial.schemas.benchmark import Declaration, benchmarks, find_declaration
from perennial.schemas.errors import PerennialError
from perennial.schemas.ids import content_id
from perennial.schemas.people import pool_sql
from perennial.schemas.plan import way_of
from perennial.schemas.rows import ReadJson, Row
from perennial.schemas.statistics import MeasuredVariance, Population
from perennial.schemas.table_form import Table
from perennial.schemas.tables import SCALE, TABLES
from perennial.tasks.play import parse_model_player
from perennial.tasks.statistics import clusters as items
from perennial.tasks.statistics.cells import ALL, Cells, Domains, PlayerPart, grid_of, part_of
from perennial.tasks.statistics.clusters import ItemStatistics, item_statistics
from perennial.tasks.statistics.contamination import GAP, OriginRates, Split, contamination_figures
from perennial.tasks.statistics.correlation import reliability_figures
from perennial.tasks.statistics.multiplicity import Statistic, adjust_by_family, kind_by_name
from perennial.tasks.statistics.rank_figures import comparison_figures, place_figures
from perennial.tasks.statistics.rate_figures import (
    Analysis,
    control_figures,
    preference_figures,
    rate_figures,
    version_figures,
)
from perennial.tasks.statistics.scale.cells import DomainCell
from perennial.tasks.statistics.scale.joint_model import ScalePlayer, scale_rows
from perennial.tasks.statistics.study_figures import (
    KnownFloor,
    correlation_figures,
    floor_figures,
    frontier_figures,
)
from perennial.tasks.statistics.variance_parts import variance_figures
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, visible_units
from perennial.warehouse.catalog.confinement import quote, table_file
from perennial.warehouse.catalog.count_cells import Answers
from perennial.warehouse.catalog.later_statistics import as_item_table, as_statistics, keep_scale
from perennial.warehouse.catalog.scores import load_scores
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

    from perennial.tasks.statistics.cells import Column


# Compute table `scale` from all visible editions: after a publication, and when figures are made again.

MOST_EDITIONS = 40
"""The newest of each benchmark; domains that return in all of them make large matrices."""
_ID_DIGITS = 8


def compute_scale(store: Store, units: Sequence[str] | None = None) -> int:
    """Keep the scale over these editions and evaluations, by default the visible ones; return its rows."""
    import pyarrow as pa

    chosen = tuple(visible_units(store) if units is None else units)
    rows: list[Row] = []
    if chosen:
        # Sums of floats depend on their order, which several threads leave open.
        catalog = open_catalog(store, chosen, settings={"threads": 1})
        with catalog.closing():
            for (benchmark, setting), cells in read_cells(catalog).items():
                rows += scale_rows(benchmark, setting, cells, _variance(benchmark))
    rows.sort(key=lambda row: tuple(row[name] for name in SCALE.key))
    keep_scale(store, chosen, pa.Table.from_pylist(rows, schema=SCALE.arrow_schema()))
    return len(rows)


def renew_scale(store: Store, units: Sequence[str] | None = None) -> str:
    """Do the same, but return why it is not possible ("" where it is): no reason to stop what was begun."""
    try:
        compute_scale(store, units)
    except PerennialError as error:
        return f"table scale is not computed: {error}; then run `perennial analyse`"
    return ""


def read_cells(catalog: Catalog) -> dict[tuple[str, str], list[DomainCell]]:
    """Return the cells by benchmark and setting; a player is a name with a way in which it was asked.

    Only benchmarks that draw their domains have any: the scale is of the population of domains.
    """
    newest = (
        "SELECT edition, benchmark FROM editions "
        "QUALIFY row_number() OVER (PARTITION BY benchmark ORDER BY created_at DESC, edition) "
        f"<= {MOST_EDITIONS}"
    )
    drawn = {name for name, declaration in benchmarks().items() if declaration.variance is not None}
    kept = [edition for edition, benchmark in catalog.query(newest)[1] if benchmark in drawn]
    sql = (files("perennial.warehouse.catalog") / "scale_cells.sql").read_text(encoding="utf-8")
    sql = sql.replace("PLAYER", pool_sql("e.player"))
    rows = sorted(row for edition in kept for row in catalog.query(sql.replace("EDITION", quote(edition)))[1])
    ways = _read_ways(catalog)
    several = defaultdict(set)
    for benchmark, _, edition, _, player, *_ in rows:
        several[benchmark, player].add(ways.get((edition, player), ""))
    cells_by_setting: dict[tuple[str, str], list[DomainCell]] = defaultdict(list)
    for benchmark, setting, edition, domain, player, rate, squares, instances, runs in rows:
        protocol_id = ways.get((edition, player), "") if len(several[benchmark, player]) > 1 else ""
        cell = DomainCell(
            edition, domain, ScalePlayer(player, protocol_id).key, rate, squares, instances, runs
        )
        cells_by_setting[benchmark, setting].append(cell)
    return dict(cells_by_setting)


def _variance(benchmark: str) -> MeasuredVariance:
    variance = find_declaration(benchmark).variance
    assert variance is not None  # else it has no cells
    return variance


def _read_ways(catalog: Catalog) -> dict[tuple[str, str], str]:
    """Return an id of parameters and protocol by edition and model; programs have none.

    Of several evaluations of an edition the first counts.
    """
    ways: dict[tuple[str, str], str] = {}
    sql = "SELECT edition, benchmark, settings FROM evaluations ORDER BY edition, created_at, evaluation"
    for edition, name, text in catalog.query(sql)[1]:
        plan = json.loads(text)
        benchmark = find_installed(name)
        if benchmark is None or plan.get("imported_from"):
            continue
        for player in plan["players"]:
            if player not in benchmark.programs:
                ways.setdefault((edition, player), _describe_way(plan, player, benchmark.variants))
    return ways


def _describe_way(plan: ReadJson, player: str, variants: Any) -> str:
    model = parse_model_player(player, {}, variants).choice.model
    params = plan.get("model_params", {}).get(model, plan.get("player_params", {}))
    whole = content_id("way", params, way_of(plan.get("protocol", {}), player))
    return whole.removeprefix("way_")[:_ID_DIGITS]


Scores = Mapping[str, Mapping[str, float]]
Result = TypeVar("Result")
# Returns what the function returns for each of the values, in their order, wherever it runs.
Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterable[Any]]
_EPISODES_A_BATCH = 1_500_000
_WORTH_SPREADING = 400_000  # episodes: workers take seconds to start


def run_here(function: Callable[..., Result], values: Sequence[tuple[Any, ...]]) -> Iterator[Result]:
    """Yield what the function returns for each of the values, called in this process."""
    return (function(*arguments) for arguments in values)


def analyse_edition(
    store: Store,
    edition: str,
    evaluations: Sequence[str],
    files: Mapping[str, Path] | None = None,
    spread: Spread = run_here,
) -> "pyarrow.Table":
    """Return table `statistics` of a published edition over these of its evaluations.

    `files` are the tables of one more evaluation, which is about to be published. Batches of large editions
    are given to `spread`.
    """
    plan = read_published_plan(store, edition)
    table_names = [table.name for table in find_benchmark(plan.benchmark).declaration.tables]
    places = {
        name: _places(store, TABLES[name], edition, evaluations, files or {})
        for name in ("instances", "episodes", "turns", "calls", *table_names)
    }
    seed, scores = plan.public_seed, load_scores(store)
    split = plan.seed_commitment, plan.private_share
    return analyse_tables(
        store.root, places, edition, plan.benchmark, seed, scores, spread, plan.canary, split
    )


def _places(
    store: Store, table: Table, edition: str, evaluations: Sequence[str], files: Mapping[str, Path]
) -> tuple[str, ...]:
    units = {"answers": evaluations, "either": (edition, *evaluations)}.get(table.kind, (edition,))
    names = (table_file(table.name, unit) for unit in units)
    published = tuple(store.location(file) for name in names if (file := store.find_file(name)))
    return (*published, str(files[table.name])) if table.name in files else published


@dataclass(frozen=True, slots=True)
class _Batch:
    """What one process computes: figures of some players, and their runs and solved ones on each instance."""

    figures: list[Statistic]
    parts: dict[str, PlayerPart]


def analyse_tables(
    root: str,
    places: Mapping[str, tuple[str, ...]],
    edition: str,
    benchmark: str,
    seed: int,
    external: Scores,
    spread: Spread,
    canary: str = "",
    split: tuple[str, float] = ("", 0.0),
) -> "pyarrow.Table":
    """Return table `statistics` over these files of an edition's tables, by name."""
    installed = find_benchmark(benchmark)
    analysis = installed.analysis()
    programs = {*installed.programs, *installed.aliases}
    kind = kind_by_name(programs, installed.variants)
    with _open_answers(root, places, analysis, installed.declaration) as answers:
        widest = answers.population
        domains = {
            setting: Domains(tuple(counts), (0, *accumulate(counts.values())))
            for setting, counts in answers.number_instances().items()
        }
        episodes = answers.count_episodes()
        batches = [
            (answers, benchmark, seed, setting, domains[setting], players)
            for setting, players in _divide(episodes)
        ]
        is_large = sum(count for _, _, count in episodes) > _WORTH_SPREADING
        figures: list[Statistic] = []
        parts: dict[str, dict[str, PlayerPart]] = {}
        made = (spread if is_large else run_here)(compute_batch, batches)
        for (_, _, _, setting, _, _), batch in zip(batches, made, strict=True):
            figures += batch.figures
            parts.setdefault(setting, {}).update(batch.parts)
        program, floors = installed.declaration.floor_player, _read_floors(answers, analysis)
        studied: dict[str, ItemStatistics] = {}
        rates = OriginRates(
            {setting: Split(**columns) for setting, columns in answers.read_split(*split).items()}
        )
        figures += _version_figures(answers, domains)
        for setting in sorted(parts):
            grid = grid_of(setting, domains[setting], parts.pop(setting), widest)
            figures += comparison_figures(grid, kind)
            figures += control_figures(grid, installed.variants)
            figures += reliability_figures(grid, kind)
            figures += frontier_figures(grid, kind, seed)
            figures += variance_figures(grid, kind)
            rates_by_player = {
                figure.player: figure
                for figure in figures
                if (figure.statistic, figure.setting, figure.domain) == ("success_rate", setting, ALL)
            }
            if program:
                figures += floor_figures(grid, rates_by_player, program, floors.get(setting))
            studied[setting] = item_statistics(grid)
            # Over all settings, as the split was drawn over the whole edition.
            rates.add(grid)
        figures += contamination_figures(rates, seed)
        figures += place_figures(figures, kind, installed.declaration.floor)
        figures += correlation_figures(figures, external, kind, installed.declaration.measures)
        figures += _of_population(analysis.table_figures(_read_whole(answers, analysis), seed), widest)
        for statistic in (GAP, *analysis.families):
            figures = adjust_by_family(figures, statistic, kind)
        rows = [figure._asdict() for figure in figures]
        return as_statistics(edition, rows, _item_tables(answers, studied), canary)


@contextmanager
def _open_answers(
    root: str, places: Mapping[str, tuple[str, ...]], analysis: Analysis, declaration: Declaration
) -> Iterator[Answers]:
    with TemporaryDirectory(prefix="perennial-statistics-") as folder:
        counts = tuple(analysis.counts.items())
        answers = Answers(root, places, Path(folder), analysis.joins, counts)
        with answers.open() as connection:
            population = declaration.find_population(lambda sql: connection.execute(sql).fetchall())
            yield replace(answers, population=population)


def _divide(episodes: Sequence[tuple[str, str, int]]) -> list[tuple[str, tuple[str, ...]]]:
    """Return each setting with some of its players: so many that memory holds, and one at least."""
    batches: list[tuple[str, tuple[str, ...]]] = []
    held = 0
    for setting, player, count in episodes:
        if batches and batches[-1][0] == setting and held + count <= _EPISODES_A_BATCH:
            batches[-1] = (setting, (*batches[-1][1], player))
            held += count
        else:
            batches.append((setting, (player,)))
            held = count
    return batches


def compute_batch(
    answers: Answers, benchmark: str, seed: int, setting: str, domains: Domains, players: tuple[str, ...]
) -> _Batch:
    """Return the figures of these players in the setting, which need no other player."""
    analysis = find_benchmark(benchmark).analysis()
    columns = answers.count_cells(setting, players)
    player, instance = columns.pop("player"), columns.pop("instance")
    cells = Cells(setting, domains, players, player, instance, columns, answers.population)
    cell_figures = _of_population(analysis.cell_figures(cells, seed), answers.population)
    figures = [*rate_figures(cells, analysis.means), *cell_figures]
    parts = {player: part_of(cells, index) for index, player in enumerate(players)}
    parts = {player: part for player, part in parts.items() if part.runs.any()}
    return _Batch(figures, parts)


def _of_population(figures: Iterable[Statistic], widest: Population) -> Iterator[Statistic]:
    """Yield a benchmark's own figures: intervals that name no population are of its widest one."""
    for figure in figures:
        is_named = figure.low is None or figure.population is not None
        yield figure if is_named else figure._replace(population=widest)


def _version_figures(answers: Answers, domains: Mapping[str, Domains]) -> Iterator[Statistic]:
    cells_by_version: dict[tuple[str, str], dict[str, tuple[Mapping[str, Column], Mapping[str, Column]]]] = {}
    for setting, player, version in answers.find_versions():
        usual, other = (answers.count_cells(setting, [player], version=wanted) for wanted in (None, version))
        yield from version_figures(
            setting, domains[setting], player, version, usual, other, answers.population
        )
        cells_by_version.setdefault((setting, version), {})[player] = usual, other
    for (setting, version), players in cells_by_version.items():
        yield from preference_figures(setting, domains[setting], version, players, answers.population)


def _read_whole(answers: Answers, analysis: Analysis) -> "dict[str, pyarrow.Table]":
    with answers.open() as connection:
        return {name: connection.sql(sql).to_arrow_table() for name, sql in analysis.queries.items()}


def _read_floors(answers: Answers, analysis: Analysis) -> dict[str, KnownFloor]:
    if not analysis.floors:
        return {}
    with answers.open() as connection:
        rows = connection.sql(analysis.floors).fetchall()
    return {setting: KnownFloor(float(value), float(error)) for setting, value, error in rows}


def _item_tables(answers: Answers, studied: Mapping[str, ItemStatistics]) -> "list[pyarrow.Table]":
    import numpy as np

    n = {setting: figures.n for setting, figures in studied.items()}
    columns_by_statistic: dict[str, dict[str, tuple[Column, Column | None, Column | None]]] = {
        "item_share_solved": {s: (figures.share_solved, None, None) for s, figures in studied.items()},
        "item_discrimination": {
            setting: (figures.discrimination, figures.low, figures.high)
            for setting, figures in studied.items()
            if np.isfinite(figures.discrimination).any()
        },
    }
    tables = (
        as_item_table(
            statistic,
            items.METHOD,
            ((setting, part) for setting in sorted(values) for part in answers.instance_ids(setting)),
            n,
            values,
        )
        for statistic, values in columns_by_statistic.items()
    )
    return [table for table in tables if table.num_rows]
