"""Compute table `scale` from all visible editions: after a publication, and when figures are made again."""

import json
from collections import defaultdict
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from perennial.flows.benchmark import find_installed
from perennial.schemas.benchmark import benchmarks, find_declaration
from perennial.schemas.errors import PerennialError
from perennial.schemas.ids import content_id
from perennial.schemas.people import pool_sql
from perennial.schemas.plan import way_of
from perennial.schemas.rows import ReadJson, Row
from perennial.schemas.statistics import MeasuredVariance
from perennial.schemas.tables import SCALE
from perennial.tasks.play import parse_model_player
from perennial.tasks.statistics.scale.cells import Cell
from perennial.tasks.statistics.scale.joint_model import Player, scale_rows
from perennial.warehouse.catalog.catalog import Catalog, open_catalog, visible_units
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.catalog.later_statistics import keep_scale
from perennial.warehouse.store.store import Store

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


def read_cells(catalog: Catalog) -> dict[tuple[str, str], list[Cell]]:
    """Return the cells by benchmark and setting; a player is a name with a way in which it was asked.

    Only benchmarks that draw their domains have any: the scale is of the population of domains.
    """
    newest = (
        "SELECT edition, benchmark FROM editions "
        "QUALIFY row_number() OVER (PARTITION BY benchmark ORDER BY created_at DESC, edition) "
        f"<= {MOST_EDITIONS}"
    )
    drawn = {name for name, known in benchmarks().items() if known.variance is not None}
    kept = [edition for edition, benchmark in catalog.query(newest)[1] if benchmark in drawn]
    sql = (files("perennial.warehouse.catalog") / "scale_cells.sql").read_text(encoding="utf-8")
    sql = sql.replace("PLAYER", pool_sql("e.player"))
    rows = sorted(row for edition in kept for row in catalog.query(sql.replace("EDITION", quote(edition)))[1])
    ways = _read_ways(catalog)
    several = defaultdict(set)
    for benchmark, _, edition, _, player, *_ in rows:
        several[benchmark, player].add(ways.get((edition, player), ""))
    found: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for benchmark, setting, edition, domain, player, rate, squares, instances, runs in rows:
        protocol_id = ways.get((edition, player), "") if len(several[benchmark, player]) > 1 else ""
        cell = Cell(edition, domain, Player(player, protocol_id).key, rate, squares, instances, runs)
        found[benchmark, setting].append(cell)
    return dict(found)


def _variance(benchmark: str) -> MeasuredVariance:
    found = find_declaration(benchmark).variance
    assert found is not None  # else it has no cells
    return found


def _read_ways(catalog: Catalog) -> dict[tuple[str, str], str]:
    """Return an id of parameters and protocol by edition and model; programs have none.

    Of several evaluations of an edition the first counts.
    """
    found: dict[tuple[str, str], str] = {}
    sql = "SELECT edition, benchmark, settings FROM evaluations ORDER BY edition, created_at, evaluation"
    for edition, name, text in catalog.query(sql)[1]:
        plan = json.loads(text)
        benchmark = find_installed(name)
        if benchmark is None or plan.get("imported_from"):
            continue
        for player in plan["players"]:
            if player not in benchmark.programs:
                found.setdefault((edition, player), _describe_way(plan, player, benchmark.variants))
    return found


def _describe_way(plan: ReadJson, player: str, variants: Any) -> str:
    model = parse_model_player(player, {}, variants).choice.model
    params = plan.get("model_params", {}).get(model, plan.get("player_params", {}))
    whole = content_id("way", params, way_of(plan.get("protocol", {}), player))
    return whole.removeprefix("way_")[:_ID_DIGITS]
