"""`perennial tasks`: the catalogue of BeyondBench's tasks, one problem to try, problems as JSON Lines."""

import json
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.input_files import read_text_file
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.row_formats import Format, Terminal, print_json, print_rows, prints_rows
from perennial.schemas.beyondbench.things import LEVELS, Suite
from perennial.schemas.errors import InstancesExhausted, InvalidOption, shorten
from perennial.schemas.errors import count as counted
from perennial.schemas.rows import JsonObject, Row
from perennial.tasks.beyondbench.problem import Task, TaskProblem, Variation, draw_problem
from perennial.tasks.beyondbench.registry import TASKS, complexity_of, find_task, unlike_paper
from perennial.tasks.llm.reasoning import split_reasoning

tasks = typer.Typer(
    name="tasks",
    help="List the tasks of BeyondBench, try one, or draw problems.",
    no_args_is_help=True,
    add_completion=False,
    epilog="Example: perennial tasks show tower_of_hanoi",
)

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="A task, see `perennial tasks list`.")]
# What is printed of solutions and of an answer; --json has all that are known, and the whole answer.
_SHOWN = 10
_SHOWN_CHARACTERS = 2_000


@tasks.command(name="list", epilog="Example: perennial tasks list --suite hard")
@prints_rows
def list_tasks(
    suite: Annotated[Suite | None, typer.Option(help="Only the tasks of this suite.")] = None,
    format_: Format = Format.table,
) -> None:
    """List the tasks with their variations, sizes, complexity, and log10 of how many problems there are.

    CSV and JSON have a row for each size, and say how the number was found, what complexity the paper's
    tables give, whether the paper counts the variation among its 117, and what is asked unlike there.
    """
    rows = [row for task in TASKS.values() if suite in (None, task.suite) for row in _size_rows(task)]
    if format_ is Format.table:
        _print_catalogue(rows)
    else:
        print_rows(list(rows[0]), [tuple(row.values()) for row in rows], format_)


@tasks.command(epilog="Example: perennial tasks show addition --size 8 --answer 'The answer is \\boxed{12}.'")
def show(
    task: TaskArgument,
    variation: Annotated[str | None, typer.Argument(help="Default: the task's first.")] = None,
    size: Annotated[int | None, typer.Option(help="Default: the variation's smallest.")] = None,
    seed: Annotated[int, typer.Option(help="Seed; the same one gives the same problem.")] = 0,
    index: Annotated[int, typer.Option(min=0, help="Number of the problem under that seed.")] = 0,
    answer: Annotated[str | None, typer.Option(metavar="TEXT", help="A reply to grade.")] = None,
    answer_file: Annotated[Path | None, typer.Option(help="A file that holds the reply to grade.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Print a problem and its solutions and, for a reply, what is read from it and what the grader says."""
    if answer is not None and answer_file is not None:
        raise InvalidOption("--answer and --answer-file: expected one of them")
    reply = answer if answer_file is None else read_text_file(answer_file)
    chosen_task = find_task(task)
    chosen = _choose_variation(chosen_task, variation)
    problem, _ = draw_problem(chosen_task, chosen.name, _choose_size(chosen_task, chosen, size), seed, index)
    graded = None if reply is None else _grade(problem, reply)
    if as_json:
        document = {**_as_json(problem, index), "reply": graded}
        print_json(document)
        return
    _print_problem(problem)
    if graded is not None:
        _print_grade(graded)


@tasks.command(epilog="Example: perennial tasks sample modular_systems prime --count 100 --out primes.jsonl")
def sample(
    task: TaskArgument,
    variation: Annotated[str | None, typer.Argument(help="Default: all of the task in turn.")] = None,
    *,
    count: Annotated[int, typer.Option(min=1, help="Number of distinct problems.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON Lines.")],
    size: Annotated[int | None, typer.Option(help="Default: all sizes in turn.")] = None,
    seed: Annotated[int, typer.Option(help="Seed; the same one gives the same file.")] = 0,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Draw distinct problems that no edition published in the data root holds.

    Each line has prompt, payload (the parameters) and answers. If fewer problems exist, the exit code is 3
    and the file holds those found.
    """
    from perennial.flows.console.input_files import require_file_place, write_lines
    from perennial.tasks.beyondbench.problem import ProblemStream
    from perennial.warehouse.catalog.catalog import published_editions
    from perennial.warehouse.editions.issued_ids import issued_instances

    chosen_task = find_task(task)
    chosen = [_choose_variation(chosen_task, variation)] if variation else _variations(chosen_task)
    for choice in chosen:
        _choose_size(chosen_task, choice, size)
    require_file_place("--out", out)
    store = data_root(root)
    issued = issued_instances(store, published_editions(store))
    stream = ProblemStream(chosen_task, [choice.name for choice in chosen], size, count, seed, issued)
    started = time.perf_counter()
    with show_steps("sample") as step:

        def lines() -> Iterator[str]:
            for number, problem in stream:
                step(f"{stream.yielded:,} of {count:,} problems of {task}")
                yield json.dumps(_as_json(problem, number), ensure_ascii=False)

        write_lines(out, lines())
    seconds = time.perf_counter() - started
    summary = {"task": task, "asked": count, "written": stream.yielded, "out": str(out)}
    if as_json:
        print_json({**summary, "seconds": round(seconds, 3)})
    else:
        console = Terminal(stderr=True, soft_wrap=True)
        console.print(f"{stream.yielded:,} problems of {task} in {out}, {seconds:.2f} s")
    if stream.yielded < count:
        spent = ", ".join(f"{name} of size {size}" for name, size in sorted(stream.exhausted))
        raise InstancesExhausted(f"{stream.yielded:,} of {count:,} problems found; nothing new of {spent}")


def _choose_variation(task: Task[object], name: str | None) -> Variation:
    return _variations(task)[0] if name is None else task.variation(name)


def _variations(task: Task[object]) -> list[Variation]:
    return [variation for variation in task.variations if not variation.on_request]


def _choose_size(task: Task[object], variation: Variation, size: int | None) -> int:
    if size is not None and size not in variation.sizes:
        sizes = ", ".join(map(str, variation.sizes))
        raise InvalidOption(f"--size {size}: {task.name} {variation.name} has the sizes {sizes}")
    return size or variation.sizes[0]


def _size_rows(task: Task[object]) -> Iterator[Row]:
    for variation in task.variations:
        complexity = complexity_of(task, variation)
        for size in variation.sizes:
            space = task.space(variation.name, size)
            yield {
                "suite": task.suite,
                "task": task.name,
                "title": task.title,
                "variation": variation.name,
                "size": size,
                "is_unique": variation.is_unique,
                "reuse": variation.reuse,
                "space_log10": round(space.log10, 2),
                "space_exact": space.is_exact,
                "space_doc": space.doc,
                "complexity": complexity.ours,
                "complexity_paper": complexity.paper,
                "counted_by_paper": variation.is_counted,
                "unlike_paper": unlike_paper(task.name, variation.name) or None,
            }


def _print_catalogue(rows: list[Row]) -> None:
    console = Terminal(soft_wrap=True)
    width = max(len(row["variation"]) for row in rows) + 4
    hardest = max(len(row["complexity"]) for row in rows)
    console.print(f"{'variation':<{width}}  {'sizes':<7}  {'complexity':<{hardest}}  space (log10)")
    for suite, of_suite in groupby(rows, lambda row: row["suite"]):
        suite_rows = list(of_suite)
        names = {row["task"] for row in suite_rows}
        cells = {(row["task"], row["variation"]) for row in suite_rows}
        console.print(f"\n{suite}: {counted(len(names), 'task')}, {counted(len(cells), 'variation')}")
        for task, of_task in groupby(suite_rows, lambda row: row["task"]):
            console.print(task)
            for variation, group in groupby(of_task, lambda row: row["variation"]):
                sizes = list(group)
                name = variation if sizes[0]["counted_by_paper"] else f"{variation} +"
                name += " *" if sizes[0]["unlike_paper"] else ""
                console.print(
                    f"  {name:<{width - 2}}  {_range(sizes[0]['size'], sizes[-1]['size']):<7}  "
                    f"{sizes[0]['complexity']:<{hardest}}  {_space_range(sizes)}"
                )
    console.print("\n+  not among the 117 variations and 29 easy tasks that the paper counts")
    console.print("*  asks something else than the paper's: `perennial tasks show` says what")
    console.print(">= is a lower bound; without it the number is exact")


def _space_range(sizes: list[Row]) -> str:
    spaces = [row["space_log10"] for row in sizes]
    bound = "" if all(row["space_exact"] for row in sizes) else ">= "
    return bound + _range(f"{min(spaces):.1f}", f"{max(spaces):.1f}")


def _range(first: object, last: object) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _grade(problem: TaskProblem, reply: str) -> JsonObject:
    parsed = problem.parse(split_reasoning(reply)[0])
    is_read = parsed.answer is not None
    detail = problem.verify(parsed.answer) if is_read else None
    return {
        "level": parsed.level,
        "instruction_followed": parsed.instruction_followed,
        "answer": parsed.answer,
        "is_right": is_read and not detail,
        "detail": detail or None,
        "is_best": problem.is_best(parsed.answer) if is_read else None,
    }


def _as_json(problem: TaskProblem, index: int) -> JsonObject:
    solutions = problem.solutions
    return {
        "instance_id": problem.content_id,
        "task": problem.task.name,
        "variation": problem.variation,
        "suite": problem.task.suite,
        "size": problem.size,
        "index": index,
        "prompt": problem.prompt,
        "payload": json.loads(problem.payload),
        "answers": list(solutions.answers),
        "solutions": solutions.count,
        "solutions_complete": solutions.is_complete,
    }


def _print_problem(problem: TaskProblem) -> None:
    console, solutions = Terminal(soft_wrap=True), problem.solutions
    console.print(f"{problem.task.name} {problem.variation}, size {problem.size}: {problem.task.title}")
    if differs := unlike_paper(problem.task.name, problem.variation):
        console.print(f"Unlike the paper: {differs}")
    console.print()
    console.print(problem.prompt)
    extent = "all" if solutions.is_complete else "more exist, or may"
    console.print(f"\nsolutions: {solutions.count:,} ({extent})")
    for answer in solutions.answers[:_SHOWN]:
        console.print(f"  {problem.write_answer(answer)}")
    if len(solutions.answers) > _SHOWN:
        console.print(f"  and {len(solutions.answers) - _SHOWN:,} more, see --json")


def _print_grade(graded: Row) -> None:
    console = Terminal(soft_wrap=True)
    console.print(f"\nread, level {graded['level']}: {LEVELS[graded['level']]}")
    if graded["answer"] is None:
        return
    console.print(f"answer: {shorten(json.dumps(graded['answer'], ensure_ascii=False), _SHOWN_CHARACTERS)}")
    best = {True: ", and none is better", False: ", but not the best", None: ""}[graded["is_best"]]
    console.print("grader: right" + best if graded["is_right"] else f"grader: wrong, {graded['detail']}")
