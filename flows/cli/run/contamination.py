"""`perennial contamination`: do players do better on public instances of an edition than on private ones?"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

import typer
from rich.table import Column, Table

from perennial.flows.benchmark import find_benchmark
from perennial.flows.cli.run.refresh import (
    YesOption,
    evaluate_players,
    execute_by_prefect,
    is_for_play,
    load_evaluation,
    result_console,
)
from perennial.flows.console.root_option import data_root
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.flows.console.settings_options import settings_app
from perennial.flows.serve.embedded_server import begin_server
from perennial.schemas.errors import InvalidOption
from perennial.schemas.plan import EditionPlan
from perennial.schemas.rows import JsonObject, Row
from perennial.schemas.statistics import MODELS
from perennial.warehouse.catalog.catalog import open_catalog, visible_editions
from perennial.warehouse.catalog.confinement import quote
from perennial.warehouse.disclosure import is_retired
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.lock import refuse_locked
from perennial.warehouse.store.store import Store

# Instances that a model's context does not hold count as asked: it would not be asked them again.
_ANSWERED = """
WITH settled AS (
    SELECT edition, player, instance_id FROM episodes WHERE version IS NULL
    UNION
    SELECT edition, player, subject FROM rejections WHERE rule = 'not_asked'
)
SELECT player FROM settled WHERE edition = {edition}
GROUP BY player
HAVING count(*) = (SELECT count(*) FROM instances WHERE edition = {edition})
"""


def contamination(
    flags: JsonObject,
    edition: Annotated[
        str, typer.Argument(help="The edition, which has a private share; latest~1 is one before the newest.")
    ],
    yes: YesOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Say whether players do better on an edition's public instances than on its private ones.

    A secret decided which instances are private, so a player who never saw the edition does equally well on
    both. With --players, those who have not answered the whole edition answer the rest first, as by
    `perennial evaluate`; without, the players are those with published answers.

    Example: perennial contamination kumo-2026-01-20 --players gpt-4.1-mini --max-calls 5000
    """
    store = data_root(flags["root"])
    named = select_unit(store, edition, visible_editions(store), flags["benchmark"])
    plan = read_published_plan(store, named)
    if not plan.private_share:
        raise InvalidOption(
            f"edition {plan.edition!r} has no private instances to compare with: grow one that has, "
            f"`perennial refresh --benchmark {plan.benchmark} --private-share 0.5`"
        )
    console = result_console(as_json)
    players = [name.strip() for name in str(flags["players"] or "").split(",") if name.strip()]
    from perennial.flows.refresh.plan import rename_aliases

    players = rename_aliases(players, find_benchmark(plan.benchmark))
    if missing := _without_answers(store, plan.edition, players):
        # The others are not asked again: their runs would count beside those that they have.
        chosen = load_evaluation({**flags, "players": ",".join(missing)}, plan)
        refuse_locked(store)
        begin_server()
        evaluate_players(store, chosen, "", 0, console, execute_by_prefect, yes=yes)
    rows = _read_gaps(store, plan.edition, players)
    if not rows:
        raise InvalidOption(
            f"edition {plan.edition!r} has no published answers: name who shall answer it with --players"
        )
    if as_json:
        dated = [{k: v.isoformat() if isinstance(v, date) else v for k, v in row.items()} for row in rows]
        print_json(dated)
    else:
        _print(console, plan, rows, is_retired(store, plan.edition))


def _without_answers(store: Store, edition: str, players: Sequence[str]) -> list[str]:
    if not players:
        return []
    complete = {row["player"] for row in _read(store, _ANSWERED.format(edition=quote(edition)))}
    return [player for player in players if player not in complete]


def _read_gaps(store: Store, edition: str, players: Sequence[str]) -> list[Row]:
    gaps = _read(store, f"FROM contamination_gaps WHERE edition = {quote(edition)}")
    return [row for row in gaps if not players or row["player"] in players]


def _read(store: Store, sql: str) -> list[Row]:
    catalog = open_catalog(store)
    with catalog.closing():
        return catalog.records(sql)


def _print(console: Terminal, plan: EditionPlan, rows: Sequence[Row], retired: bool) -> None:
    published: datetime = rows[0]["created_at"]
    has_cutoff = any(row["training_cutoff"] for row in rows)
    title = f"{plan.edition}, published {published:%Y-%m-%d}: public minus private rate"
    table = Table(Column("player", overflow="fold"), title=title, title_justify="left")
    for heading in ("gap", "95% interval", "p (Holm)", "would find"):
        table.add_column(heading, justify="right")
    if has_cutoff:
        table.add_column("trained until")
    for row in rows:
        interval = "" if row["gap"] is None else f"{row['gap_low']:+.3f} to {row['gap_high']:+.3f}"
        cells = [row["player"], _number(row["gap"], "+.3f"), interval, _number(row["p_holm"], ".4f")]
        cells.append(_number(row["detectable_gap"], ".3f"))
        table.add_row(*cells, *([str(row["training_cutoff"] or "")] if has_cutoff else []))
    console.print(table)
    console.print(describe_gaps(rows))
    if later := [row for row in rows if row["newest_edition"]]:
        falls = ", ".join(
            f"{row['player']} {row['fall_since']:+.3f} ({row['newest_edition']})" for row in later
        )
        console.print(
            f"weaker evidence: rate here minus that in the newest edition, on the common scale: {falls}"
        )
    # Players may have answered different numbers of instances, and so have different reasons.
    for reason in dict.fromkeys(row["no_gap"] for row in rows if row["no_gap"]):
        named = ", ".join(row["player"] for row in rows if row["no_gap"] == reason)
        console.print(f"no gap for {named}: {reason}; grow a larger edition, or a share nearer to 0.5")
    if left_out := max(row["origins_left_out"] for row in rows):
        console.print(f"left out: up to {left_out:,} origins, of domains without instances on both sides")
    if retired:
        console.print(
            f"warning: edition {plan.edition!r} is retired: its private instances are known too, so that a "
            "leak since then shows no gap"
        )


def describe_gaps(rows: Sequence[Row]) -> str:
    """Say in one sentence what the rows of `contamination_gaps` of an edition prove about its models."""
    from perennial.tasks.statistics.contamination import ALPHA

    models = [row for row in rows if row["player_kind"] == MODELS and row["gap"] is not None]
    better = [row["player"] for row in models if row["p_holm"] <= ALPHA]
    if better:
        return (
            f"Better on public instances than chance explains (Holm's p <= {ALPHA:g}): {', '.join(better)}. "
            "This is evidence that public instances have reached them."
        )
    detectable = [row["detectable_gap"] for row in models if row["detectable_gap"] is not None]
    if not detectable:
        return f"No gap could be found: {'each model solved all or none' if models else 'no model answered'}."
    return (
        "No model does better on public instances than chance explains; a gap below "
        f"{max(detectable):.2f} may have been missed."
    )


def _number(value: float | None, form: str) -> str:
    return "" if value is None else f"{value:{form}}"


contamination_app = settings_app(contamination, is_for_play)
