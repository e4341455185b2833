"""`perennial try`: a first score of a model, in two minutes and at most 60 calls."""

import shlex
from typing import Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.terminal import Terminal
from perennial.schemas.benchmark import DEFAULT_BENCHMARK

MOST_CALLS = 60


def try_model(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="The model's name at its server, or in models.toml.")
    ],
    base_url: Annotated[
        str | None, typer.Option(help="Its server. Default: OPENAI_BASE_URL, else OpenAI's.")
    ] = None,
    benchmark: Annotated[str | None, typer.Option(help=f"Benchmark. Default: {DEFAULT_BENCHMARK}.")] = None,
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Give a model a first score: grow a tiny edition, play it, and say what went wrong.

    The server and the name are looked up first. It makes at most 60 calls and publishes the edition. Give the
    same command again to resume an interrupted one, even after a change of models.toml.

    Example: perennial try llama3.2 --base-url http://127.0.0.1:11434/v1
    """
    from perennial.flows.benchmark import find_benchmark
    from perennial.flows.cli.run.execute import execute_plainly
    from perennial.flows.cli.run.refresh import grow_and_play
    from perennial.flows.console.print_first_score import WIDTH, print_first_score
    from perennial.flows.refresh.planning.plan import prepare_refresh
    from perennial.flows.refresh.unchanged_root import units_of_root
    from perennial.schemas.errors import InvalidOption, LimitReached
    from perennial.schemas.settings.refresh import choose_benchmarks, load_settings
    from perennial.warehouse.lock import refuse_locked
    from perennial.warehouse.store.store import Store

    declared, *others = choose_benchmarks(benchmark)
    if others:
        raise InvalidOption("several benchmarks are chosen: name one with --benchmark")
    chosen = find_benchmark(declared.name)
    if model in chosen.programs or model in chosen.aliases:
        raise InvalidOption(f"{model!r} is a program of {chosen.name}: name a model")
    best = next(iter(chosen.references or chosen.programs))
    floor = [chosen.declaration.floor_player] if chosen.declaration.floor else []
    settings = load_settings(
        {
            "root": root,
            "base_url": base_url,
            "benchmark": chosen.name,
            "size": "tiny",
            "runs": 1,
            "players": [model, best, *floor],
            "anchors": [],
            # One call is the look-up's.
            "max_calls": MOST_CALLS - 1,
            "accept_api_errors": True,
        },
        "try",
    )
    terminal = Terminal(stderr=as_json)
    console = Terminal(stderr=as_json, width=min(WIDTH, terminal.width))
    store = Store(settings.root)
    refuse_locked(store)
    before = units_of_root(store)
    prepared = prepare_refresh(settings, store, is_trial=True)
    store.require_conditional_writes()
    named = f" --benchmark {chosen.name}" if benchmark else ""
    flags = f" --base-url {shlex.quote(base_url)}" if base_url else ""
    try:
        grow_and_play([settings], store, [prepared], before, console, execute_plainly)
    except LimitReached:
        there = f" --root {shlex.quote(root)}" if root else ""
        again = shlex.join(["--edition", prepared.plan.edition, "--players", ",".join(settings.players)])
        raise LimitReached(
            f"{model} used up the {MOST_CALLS} calls of a first score before its games ended, so it has none "
            f"yet: `perennial calls --limit 5{there}` shows what it replies, and `perennial refresh {again} "
            f"--size tiny --runs 1 --accept-api-errors --max-calls 500{named}{flags}{there}` plays on, "
            "without repeating a call"
        ) from None
    limit = settings.reply_limit(model, prepared.plan.evaluation.params_of(model))
    print_first_score(
        store, prepared.plan.edition, chosen, model, best, named, flags, limit, console, as_json
    )
