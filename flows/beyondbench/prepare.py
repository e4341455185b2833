"""From BeyondBench's settings to its part of an edition's plan: which cells, and the budget of tokens."""

from collections.abc import Iterable, Mapping
from functools import partial

from perennial.flows.benchmark import Preparation
from perennial.flows.beyondbench.estimate_calls import estimate_calls
from perennial.schemas.beyondbench.settings import BeyondBenchSettings
from perennial.schemas.beyondbench.things import SUITES, BeyondBenchPlan, Cell
from perennial.schemas.errors import InvalidOption, suggest
from perennial.schemas.model_calls import Price, StageEstimate
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.tasks.beyondbench.players import PLAYERS
from perennial.tasks.beyondbench.problem import DEFAULT_CONTEXT, fits
from perennial.tasks.beyondbench.registry import PATHS, TASKS, find_task
from perennial.tasks.llm.limits import token_counter
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

_PAPER = "paper"  # all cells that the paper counts


def prepare(settings: BeyondBenchSettings, _store: Store) -> Preparation[None]:
    """Return the plan's own part, after every check that needs no work."""
    cells = choose_cells(settings.tasks)
    token_counter(settings.tokenizer)
    budgets = budgets_of(settings)
    least = min((budget["context"] for budget in budgets.values()), default=DEFAULT_CONTEXT)
    plan = BeyondBenchPlan(cells, settings.instances, settings.context_tokens or least, settings.tokenizer)
    _require_room(plan)
    return Preparation(
        plan.as_json(),
        shown={"cells": f"{len(cells)} of {len({cell.task for cell in cells})} tasks"},
        unused=("cells", *([] if settings.tokenizer else ["tokenizer"])),
        counts={"cells": len(cells), "instances": len(cells) * plan.instances},
        estimate=partial(estimate_calls, plan),
        protocol=protocol_of(settings),
    )


def choose_cells(names: Iterable[str]) -> tuple[Cell, ...]:
    """Return the cells of suites, tasks, TASK/VARIATION and `paper`, or all, in the catalogue's order.

    Raises InvalidOption for what does not exist.
    """
    chosen = {cell for name in names for cell in _cells_of(name)}
    return tuple(cell for cell in _all_cells(PATHS) if not chosen or cell in chosen)


def _cells_of(name: str) -> list[Cell]:
    if name in SUITES:
        return _all_cells(task for task in PATHS if TASKS[task].suite == name)
    if name == _PAPER:
        return [
            cell for cell in _all_cells(PATHS) if find_task(cell.task).variation(cell.variation).is_counted
        ]
    task, _, variation = name.partition("/")
    if task not in PATHS:
        meant = suggest(task, (*SUITES, _PAPER, *PATHS))
        raise InvalidOption(
            f"--tasks {name!r}: expected a suite ({', '.join(SUITES)}), {_PAPER}, a task or "
            f"TASK/VARIATION{meant} (see `perennial tasks list`)"
        )
    if variation:
        return [Cell(task, find_task(task).variation(variation).name)]
    return _all_cells([task])


def _all_cells(tasks: Iterable[str]) -> list[Cell]:
    return [Cell(name, variation.name) for name in tasks for variation in TASKS[name].variations]


def _require_room(plan: BeyondBenchPlan) -> None:
    """Raise InvalidOption where no variation fits the budget at its smallest size."""
    needed = {cell: sum(_least_tokens(cell)) for cell in plan.cells}
    if not any(fits(tokens, plan.context_tokens) for tokens in needed.values()):
        cell = min(needed, key=lambda cell: needed[cell])
        raise InvalidOption(
            f"--context-tokens {plan.context_tokens}: no problem fits 85 % of it; the smallest, of {cell}, "
            f"needs about {needed[cell]:,} tokens"
        )


def _least_tokens(cell: Cell) -> tuple[int, int]:
    task = TASKS[cell.task]
    return task.tokens(cell.variation, task.variation(cell.variation).sizes[0])


def budgets_of(settings: BeyondBenchSettings) -> dict[str, JsonObject]:
    """Return budget and tokenizer of those players whose entry in models.toml gives a context."""
    return {
        name: {"context": entry.context, "tokenizer": entry.tokenizer}
        for name, entry in _entries_of(settings).items()
        if entry.context
    }


def _entries_of(settings: BeyondBenchSettings) -> dict[str, ModelEntry]:
    """Return the entries of those players that have one."""
    entries: Mapping[str, ModelEntry] = settings.model_entries()
    players = dict.fromkeys((*settings.players, *settings.anchors))
    return {name: entries[name] for name in players if name not in PLAYERS and name in entries}


def protocol_of(settings: BeyondBenchSettings) -> JsonObject:
    """Return the budgets of the models of an evaluation."""
    budgets = budgets_of(settings)
    return {"budgets": budgets} if budgets else {}


def estimate_evaluation(
    store: Store, plan: EvaluationPlan, prices: Mapping[str, Price]
) -> list[StageEstimate]:
    """Return the model calls of an evaluation of a published edition, before any of them is made."""
    return estimate_calls(
        BeyondBenchPlan.from_json(read_published_plan(store, plan.edition).own), plan, prices
    )
