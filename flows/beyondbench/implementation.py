"""What BeyondBench does: it grows, plays, counts and shows problems of algorithmic tasks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from perennial.flows.benchmark import Benchmark, Practice, Preparation, Stage, always
from perennial.flows.beyondbench.authors_protocol import ASKED_OTHERWISE, choose_protocol
from perennial.flows.beyondbench.edition import (
    ProblemSeat,
    choose_cells,
    problem_batches,
    problem_of,
    require_room,
)
from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.beyondbench.things import BeyondBenchPlan, Cell
from perennial.schemas.game import Sheet
from perennial.schemas.model_calls import Prices, StageEstimate
from perennial.schemas.plan import PERENNIAL, EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject, ReadJson
from perennial.tasks.beyondbench.authors_prompts import has_words, their_name, write_prompt
from perennial.tasks.beyondbench.gate import TaskGame
from perennial.tasks.beyondbench.players import PLAYERS
from perennial.tasks.beyondbench.problem import DEFAULT_CONTEXT, SHARE, estimate_tokens, fits
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.beyondbench.statistics import COLUMNS, PlayedCell, cell_figures
from perennial.tasks.llm.limits import text_counter, token_counter
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import Analysis
from perennial.warehouse.catalog.catalog import Catalog, rows_with
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

    from perennial.flows.web.page import Opened, Page
    from perennial.schemas.beyondbench.settings import BeyondBenchSettings
    from perennial.schemas.presentation import Presentation
    from perennial.tasks.papers import Comparison
    from perennial.tasks.report.content import Report

_LONG_REPLY = 4_000  # tokens of a reply that thinks at length, where no limit is set
_MOST_NAMED = 3  # tasks of a player, in the summary
# Tasks with compiled code, and the variations that use all of it.
_COMPILED = {
    "n_queens": ("queens_4",),
    "graph_coloring": ("cycle", "planar", "ramsey"),
    "sudoku": ("standard_4", "irregular_9", "killer_9"),
    "cryptarithmetic": ("addition_medium", "multiplication_medium"),
    "logic_grid": ("easy_3",),
}
_PLAYED = "played_cells"


class BeyondBench(Benchmark["BeyondBenchSettings", None, ProblemSeat, TaskGame]):
    """Problems of three suites, drawn within a budget of tokens and solved."""

    # Grow

    def prepare(self, settings: BeyondBenchSettings, store: Store) -> Preparation[None]:
        cells = choose_cells(settings.tasks)
        token_counter(settings.tokenizer)
        budgets = _read_budgets(settings)
        least = min((budget["context"] for budget in budgets.values()), default=DEFAULT_CONTEXT)
        plan = BeyondBenchPlan(
            cells, settings.instances, settings.context_tokens or least, settings.tokenizer
        )
        require_room(plan)
        tasks = list(dict.fromkeys(cell.task for cell in cells))
        return Preparation(
            plan.as_json(),
            shown={"cells": f"{len(cells)} of {len({cell.task for cell in cells})} tasks"},
            unused=("cells", *([] if settings.tokenizer else ["tokenizer"])),
            counts={"cells": len(cells), "instances": len(cells) * plan.instances},
            protocol=_plan_protocol(settings, tasks),
            warnings=_warn_unasked(settings, tasks),
        )

    def stages(self) -> tuple[Stage, ...]:
        from perennial.flows.beyondbench.draw_problems import check_cell, draw, gate_batches

        return (
            Stage(
                "problems",
                "Draws problems that no earlier edition holds, within the budget of tokens, and solves each "
                "one.",
                problem_batches,
                draw,
                writes=("instances", "beyondbench_instances", "rejections"),
                earlier=("instances",),
                spreads=always,
                # One task run does all variations of a task.
                chain=lambda batch: batch.key[0],
            ),
            Stage(
                "gate",
                "Tests each problem: solutions, uniqueness, text, and at least 20 changed answers.",
                gate_batches,
                check_cell,
                reads=("beyondbench_instances",),
                writes=("beyondbench_gate",),
                spreads=always,
                chain=lambda batch: batch.key[0],
            ),
        )

    def warm_up(self) -> str:
        """Draw and solve a problem of each task with compiled code."""
        start = perf_counter()
        for name, variations in _COMPILED.items():
            task = TASKS[name]
            for variation in variations:
                rng = random.Random(0)  # what is drawn here is thrown away
                size = task.variation(variation).sizes[0]
                while (params := task.draw(variation, size, rng)) is None:
                    pass
                task.solve(params)
        return f"compiled generators ready in {perf_counter() - start:.1f} s"

    def practice(self) -> Practice:
        from perennial.flows.beyondbench.practice import BeyondBenchPractice

        return BeyondBenchPractice()

    # Play

    programs = PLAYERS
    reads = ("instances", "beyondbench_instances")
    one_shot = True

    def take_seats(
        self, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> list[ProblemSeat]:
        questions, problems = (rows_with(store, table, edition, "instance_id", ids) for table in self.reads)
        domains = {row["instance_id"]: row["domain"] for row in questions}
        rows_by_id = {row["instance_id"]: row for row in problems}
        budgets = protocol.get("budgets", {})
        seats = [
            ProblemSeat(
                row["instance_id"],
                problem_of(domains[row["instance_id"]], row),
                row["prompt"],
                row["template_hash"],
                row["prompt_tokens"],
                row["solution_tokens"],
                row["context_tokens"],
                budgets,
            )
            for row in (rows_by_id[id_] for id_ in ids if id_ in rows_by_id)
        ]
        return [_ask_as_authors(seat, protocol) for seat in seats] if "texts" in protocol else seats

    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        """One call per problem, with a written solution at least."""
        task_plan = BeyondBenchPlan.from_json(
            prepared.own if prepared else read_published_plan(store, plan.edition).own
        )
        texts = plan.protocol.get("texts")
        cells = [cell for cell in task_plan.cells if texts is None or cell.task in texts]
        per_cell = zip(*_tokens(cells), strict=True)
        prompt, solution = (sum(part) * task_plan.instances * plan.runs for part in per_cell)
        calls = len(cells) * task_plan.instances * plan.runs
        return estimate_players(
            plan,
            PLAYERS,
            prices,
            calls=calls,
            prompt_tokens=prompt,
            answer_tokens=solution,
            longest_reply=min(_LONG_REPLY, int(SHARE * task_plan.context_tokens)),
        )

    def protocol(self, settings: BeyondBenchSettings, store: Store, growth: EditionPlan) -> JsonObject:
        if settings.protocol == PERENNIAL:  # which is the same for all tasks
            return _plan_protocol(settings, ())
        plan = BeyondBenchPlan.from_json(read_published_plan(store, growth.edition).own)
        return _plan_protocol(settings, [cell.task for cell in plan.cells])

    def refuse(self, seat: ProblemSeat, player: str) -> str:
        """The protocol must have words, and prompt and solution fit 85 % of the player's budget."""
        if seat.unasked:
            return seat.unasked
        if player not in seat.budgets:
            return ""
        context, tokenizer = seat.context_of(player), seat.budgets[player].get("tokenizer", "")
        prompt = text_counter(tokenizer)(seat.prompt) if tokenizer else seat.prompt_tokens
        needed = prompt + seat.solution_tokens
        if fits(needed, context):
            return ""
        return f"prompt and solution need about {needed:,} tokens, more than {SHARE:.0%} of its {context:,}"

    def draw_sheet(self, game: TaskGame) -> Sheet:
        """The prompt, to which an answer is typed."""
        problem = game.problem
        container = problem.task.form(problem.params).container

        def reply(answer: str) -> str:
            if "\\boxed" in answer or "<answer>" in answer.lower():
                return answer
            return f"\\boxed{{{answer}}}" if container == "boxed" else f"<answer>{answer}</answer>"

        return Sheet(game.prompt, reply)

    # Count

    def analysis(self) -> Analysis:
        return Analysis(
            queries={
                _PLAYED: (files("perennial.flows.beyondbench") / f"{_PLAYED}.sql").read_text(encoding="utf-8")
            },
            table_figures=_figures,
        )

    def compare_paper(self, store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
        from perennial.flows.beyondbench.paper import compare_paper

        return compare_paper(store, path, step)

    # Show

    def summary(self, catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
        """What the gate tried, and how many problems were excluded, missing or reused."""
        where = f"WHERE edition = '{plan.edition}'"
        _, ((problems, mutations, unique),) = catalog.query(
            'SELECT sum(problems)::BIGINT, sum(mutations)::BIGINT, sum("unique")::BIGINT '
            f"FROM beyondbench_gate {where}"
        )
        facts = {
            "gate": f"{problems or 0:,} problems are sound, {unique or 0:,} have one solution by proof; the "
            f"grader was right about {mutations or 0:,} changed answers"
        }
        _, ((reused,),) = catalog.query(
            f"SELECT count(*) FILTER (reused)::BIGINT FROM beyondbench_instances {where}"
        )
        _, rules = catalog.query(
            f"SELECT rule, count(*)::BIGINT FROM rejections {where} AND stage = 'problems' "
            "GROUP BY 1 ORDER BY 1"
        )
        listed = [f"{rule} in {number:,} sizes of variations" for rule, number in rules]
        if reused:
            listed.append(f"{reused:,} problems of earlier editions used again")
        facts |= {"not asked": text} if (text := _describe_unasked(catalog, where)) else {}
        return facts | ({"left out": "; ".join(listed) + " (table rejections)"} if listed else {})

    def report(self) -> Report:
        from perennial.tasks.beyondbench.report import REPORT

        return REPORT

    def pages(self) -> tuple[Page, ...]:
        from perennial.flows.beyondbench.web import PROBLEMS

        return (PROBLEMS,)

    def show_instance(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.beyondbench.web import show_problem

        show_problem(edition, instance_id)

    def show_reference(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.beyondbench.web import show_solution

        show_solution(edition, instance_id)

    def presentation(self) -> Presentation:
        from perennial.flows.beyondbench.presentation import PRESENTATION

        return PRESENTATION


def _read_budgets(settings: BeyondBenchSettings) -> dict[str, JsonObject]:
    """Budget and tokenizer of those players whose entry in models.toml gives a context."""
    entries = settings.model_entries()
    players = dict.fromkeys((*settings.players, *settings.anchors))
    return {
        name: {"context": entries[name].context, "tokenizer": entries[name].tokenizer}
        for name in players
        if name not in PLAYERS and name in entries and entries[name].context
    }


def _plan_protocol(settings: BeyondBenchSettings, tasks: Sequence[str]) -> JsonObject:
    budgets = _read_budgets(settings)
    return choose_protocol(settings, tasks) | ({"budgets": budgets} if budgets else {})


def _warn_unasked(settings: BeyondBenchSettings, tasks: Sequence[str]) -> tuple[str, ...]:
    """A line that names the tasks which models are not asked under the authors' protocol."""
    silent = [task for task in tasks if not has_words(task)]
    if settings.protocol == PERENNIAL or not silent:
        return ()
    return (f"models are not asked {', '.join(silent)}: {ASKED_OTHERWISE}",)


def _ask_as_authors(seat: ProblemSeat, protocol: ReadJson) -> ProblemSeat:
    """The seat with the authors' prompt, or with the reason why there is none."""
    task = seat.problem.task
    text = protocol["texts"].get(task.name)
    prompt = None if text is None else write_prompt(text, task.words(seat.problem.params))
    if prompt is None:
        return replace(seat, unasked=ASKED_OTHERWISE)
    return replace(
        seat,
        prompt=prompt,
        prompt_tokens=estimate_tokens(prompt),
        template=f"{protocol['name']}/{their_name(task.name)}",
        template_hash=protocol["templates"][task.name],
    )


def _tokens(cells: Iterable[Cell]) -> list[tuple[int, int]]:
    """The mean tokens of prompt and solution over the sizes of each cell."""
    tokens = []
    for cell in cells:
        task = TASKS[cell.task]
        sizes = task.variation(cell.variation).sizes
        pairs = [task.tokens(cell.variation, size) for size in sizes]
        prompt, solution = (sum(part) / len(sizes) for part in zip(*pairs, strict=True))
        tokens.append((ceil(prompt), ceil(solution)))
    return tokens


def _describe_unasked(catalog: Catalog, where: str) -> str:
    """How many problems each player was not asked, and of which sizes in which tasks."""
    _, rows = catalog.query(
        "SELECT player, domain, min(size), max(size), sum(unasked)::BIGINT FROM beyondbench_unasked "
        f"{where} GROUP BY ALL ORDER BY player, 5 DESC, domain"
    )
    players: dict[str, list[tuple[str, int, int, int]]] = {}
    for player, *of_task in rows:
        players.setdefault(player, []).append(tuple(of_task))
    texts = []
    for player, tasks in players.items():
        named = [f"{task} of size {low} to {high}" for task, low, high, _ in tasks[:_MOST_NAMED]]
        more = [f"{len(tasks) - _MOST_NAMED} more tasks"] if len(tasks) > _MOST_NAMED else []
        texts.append(f"{player} {sum(row[3] for row in tasks):,} problems ({', '.join(named + more)})")
    return f"{'; '.join(texts)}: table beyondbench_unasked" if texts else ""


def _figures(tables: Mapping[str, pyarrow.Table], _seed: int) -> Iterable[Statistic]:
    return cell_figures(_played_cells(tables[_PLAYED]))


def _played_cells(table: pyarrow.Table) -> Iterator[PlayedCell]:
    names = (table[name].to_pylist() for name in ("player", "suite", "domain", "variation"))
    for row, (player, suite, task, variation) in enumerate(zip(*names, strict=True)):
        columns = {column: table[column][row].values.to_numpy() for column in COLUMNS}
        yield PlayedCell(player, suite, task, variation, columns)
