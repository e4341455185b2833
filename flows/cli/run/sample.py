"""`perennial sample`: practice questions as JSON Lines."""

import json
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.flows.console.settings_options import benchmark_app
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import InstancesExhausted
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def find_fields(named: str | None) -> "Mapping[str, FieldInfo]":
    """The parameters of a benchmark's practice questions; raise InvalidOption if it draws none."""
    from perennial.flows.practice.grade import find_practice

    return dict(find_practice(named or DEFAULT_BENCHMARK).parameters.model_fields)


def sample(
    values: JsonObject,
    count: Annotated[int, typer.Option(min=0, help="Number of questions.")],
    out: Annotated[Path, typer.Option(help="File to write, JSON Lines.")],
    benchmark: Annotated[
        str, typer.Option(help="Benchmark; its parameters are options.")
    ] = DEFAULT_BENCHMARK,
    seed: Annotated[int, typer.Option(help="Seed; the same one gives the same questions.")] = 0,
    curriculum: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Make each N questions harder, level by level. Default: all alike."
        ),
    ] = 0,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Draw practice questions of a benchmark, none of which an edition of the data root holds.

    Each line has a question as chat messages, a right answer, and the name of the function that grades a
    reply. Lines are marked as training data and hold no canary. A question depends on the seed, its number,
    the parameters and the editions in the data root, and not on how many are drawn. If fewer exist, the exit
    code is 3 and the file holds those found.

    Example: perennial sample --benchmark knowlogic --count 1000 --seed 7 --out practice.jsonl
    """
    from perennial.flows.console.input_files import require_file_place, write_lines
    from perennial.flows.console.root_option import data_root
    from perennial.flows.practice.draw import PracticeQuestions, held_ids
    from perennial.flows.practice.grade import find_practice
    from perennial.flows.practice.parameters import read_levels, read_parameters
    from perennial.flows.run.compiled_code import compile_once

    asked = {name: value for name, value in values.items() if value is not None}
    practice = find_practice(benchmark)
    for level in read_levels(practice, asked, curriculum):
        read_parameters(practice, benchmark, {**asked, **level})
    require_file_place("--out", out)
    store = data_root(root)
    console = Terminal(stderr=True, soft_wrap=True)
    started = time.perf_counter()
    written = 0
    shortfall: InstancesExhausted | None = None
    chosen = find_benchmark(benchmark)
    with show_steps("sample") as step:
        if count and chosen.offers(Benchmark.warm_up):
            step("making compiled code ready (compiled on first use)")
            if done := compile_once(benchmark, chosen.warm_up):
                console.print(done)
        questions = PracticeQuestions(benchmark, seed, asked, held_ids(store), curriculum)

        def lines() -> Iterator[str]:
            nonlocal written, shortfall
            try:
                for question in islice(questions, count):
                    yield json.dumps(question.as_json(), ensure_ascii=False)
                    written += 1
                    step(f"{written:,} of {count:,} questions of {benchmark}")
            except InstancesExhausted as error:
                shortfall = error

        write_lines(out, lines())
    seconds = time.perf_counter() - started
    summary = {
        "benchmark": benchmark,
        "asked": count,
        "written": written,
        "held_back": questions.held_back,
        "repeated": questions.repeated,
        "out": str(out),
        "seconds": round(seconds, 3),
    }
    if as_json:
        print_json(summary)
    else:
        console.print(
            f"{written:,} practice questions of {benchmark} in {out}, {seconds:.2f} s; left out: "
            f"{questions.held_back:,} that an edition of {store.root} holds, {questions.repeated:,} drawn "
            "twice"
        )
    if shortfall is not None:
        raise shortfall


sample_app = benchmark_app(sample, find_fields, has_long_help=False)
