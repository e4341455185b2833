"""`perennial solve`: the exact optimum of task instances."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.schemas.kumo.things import BALANCED, DEFAULT_SAMPLER, check_sampler
from perennial.schemas.rows import Row

if TYPE_CHECKING:
    from perennial.schemas.kumo.things import Instance, SeedConfig
    from perennial.tasks.kumo.search.solve import Solution

_UNSOLVED = 1
_OPTIMUM = ("promise_steps", "promise_steps_low", "policy_steps", "promise_tests", "promise_golden")


def solve(
    config: Annotated[str, typer.Option(metavar="NAME|FILE", help="Bundled domain, or a .json file.")],
    instances: Annotated[
        Path, typer.Option(help="Task instances (JSON Lines), in perennial's form or the KUMO release's.")
    ],
    time_limit: Annotated[float, typer.Option(help="Time limit per instance, in seconds.")] = 60.0,
    sampler: Annotated[
        str,
        typer.Option(
            help="Sampler that drew the instances, balanced or kumo-2025: the optimum weighs truths and "
            "observations by its prior. Use kumo-2025 for the release."
        ),
    ] = DEFAULT_SAMPLER,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print expected steps and golden play of each instance, by Algorithm 3 and by the true optimum.

    expected_steps are those of Algorithm 3's policy under its own outcome model. policy_steps are those of
    the same policy under the prior of --sampler: balanced draws the valid truth uniformly from the list, then
    its observations uniformly among the choices that leave it alone; kumo-2025 has prior (t). promise_steps
    are the optimum's under that prior, which uses the promise of how many truths are valid throughout.
    promise_status says whether they are exact, bounds past a limit of work, or none (too large).
    An instance that exceeds the time limit is reported as unsolved; the exit code is then 1.

    Example: perennial solve --config medical_diagnosis --instances easy.jsonl --json
    """
    from perennial.flows.console.input_files import read_lines
    from perennial.flows.kumo.kernels import prepare_kernels
    from perennial.flows.kumo.planning.domain_choice import choose_domain
    from perennial.tasks.kumo.encoding import encode_config, encode_instance, parse_instances
    from perennial.tasks.kumo.optimum import NODE_LIMIT
    from perennial.tasks.kumo.search.solve import solve_instances

    check_sampler(sampler)
    console = Terminal(stderr=True, soft_wrap=True)
    seed_config, _ = choose_domain(config)
    _say_first_match(seed_config, console)
    encoded = encode_config(seed_config)
    games = list(parse_instances(read_lines(instances), encoded, str(instances)))
    with show_steps("solve") as step:
        step("preparing the exact search (compiled on first use, then cached)")
        console.print(prepare_kernels("search"))
    started = time.perf_counter()
    with show_steps("solve") as step:
        step(f"{len(games):,} instances")
        solutions = solve_instances(
            [encode_instance(encoded, game) for game in games],
            time_limit=time_limit,
            progress=lambda done: step(f"{done:,} of {len(games):,} instances"),
            threads=os.cpu_count() or 1,
            node_limit=NODE_LIMIT,
            is_balanced=sampler == BALANCED,
        )
    seconds = time.perf_counter() - started
    records = [_record(game, solution) for game, solution in zip(games, solutions, strict=True)]
    unsolved = sum(record["status"] != "solved" for record in records)
    if as_json:
        document = {
            "domain": seed_config.name,
            "sampler": sampler,
            "unsolved": unsolved,
            "instances": records,
        }
        print_json(document)
    else:
        _print_table(records)
        console.print(
            f"{len(records) - unsolved:,} solved, {unsolved:,} past {time_limit:g} s; {seconds:.2f} s"
        )
    if unsolved:
        raise typer.Exit(_UNSOLVED)


def _record(game: "Instance", solution: "Solution") -> Row:
    from perennial.tasks.kumo.search.solve import optimum_columns

    solved = solution.status == "solved"
    answer = solution.golden_answer
    return {
        "seed": game.seed,
        "index": game.index,
        "status": "solved" if solved else "unsolved",
        "expected_steps": solution.expected_steps,
        "optimal_tests": solution.optimal_tests,
        "golden_actions": [game.actions[i] for i in solution.golden_actions] if solved else None,
        "golden_answer": None if answer is None else game.truths[answer],
        "valid_truths": list(game.valid_truths),
        **dict.fromkeys(_OPTIMUM),
        **optimum_columns(game, solution.optimum),
    }


def _print_table(records: list[Row]) -> None:
    table = Table()
    for heading in ("seed", "index", "expected steps", "tests", "promise steps"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("golden trajectory", overflow="fold")
    for record in records:
        if record["status"] == "solved":
            moves = [*record["golden_actions"], f"= {record['golden_answer']}"]
            figures = (
                f"{record['expected_steps']:.6f}",
                str(record["optimal_tests"]),
                _describe_optimum(record),
                " > ".join(moves),
            )
        else:
            figures = ("unsolved", "", "", "")
        table.add_row(str(record["seed"]), str(record["index"]), *figures)
    Terminal().print(table)


def _describe_optimum(record: Row) -> str:
    if record["promise_status"] == "none":
        return "-"
    steps = f"{record['promise_steps']:.6f}"
    exact = record["promise_status"] == "exact"
    return steps if exact else f"{record['promise_steps_low']:.6f} to {steps}"


def _say_first_match(config: "SeedConfig", console: Terminal) -> None:
    """Say how an observation is read where several states of an action hold it."""
    from perennial.tasks.kumo.validation import validate_config

    shared = {
        finding.action
        for finding in validate_config(config, min_truths=0, min_actions=0)
        if finding.rule == "overlapping-ranges"
    }
    if shared:
        console.print(
            f"note: {len(shared)} actions of {config.name} have overlapping ranges; "
            "an observation in several of them is read as the first state listed, as in the release"
        )
