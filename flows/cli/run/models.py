"""`perennial models check`: try the models of models.toml."""

import os
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.root_option import RootOption
from perennial.flows.console.row_formats import Terminal, print_json
from perennial.schemas.benchmark import DEFAULT_BENCHMARK
from perennial.schemas.errors import EndpointFailed, InvalidOption, UnreadableInput

if TYPE_CHECKING:
    from perennial.flows.refresh.models import TriedModel


# `perennial init`: write the files of settings, and a workflow of GitHub Actions.


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path(),
    github: Annotated[
        bool,
        typer.Option(
            "--github",
            help="Write a workflow of GitHub Actions too: each month it refreshes, evaluates the models of "
            "models.toml, and publishes a website.",
        ),
    ] = False,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Where that workflow keeps the data root: release (encrypted, in releases of the "
            "repository) or s3://BUCKET/PREFIX. Default: release."
        ),
    ] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(
            help="The wheel in that folder that the workflow installs, after it compares its hash. Not "
            "needed in perennial's clone, which installs itself."
        ),
    ] = None,
) -> None:
    """Write a commented perennial.toml and models.toml: each setting with its description.

    Existing files are kept.

    Example: perennial init --github
    """
    from perennial.flows.schedule.github import (
        RELEASE,
        WORKFLOW,
        check_keep,
        github_workflow,
        install_lines,
        secrets_of,
    )
    from perennial.flows.starter_files import models_file, settings_file
    from perennial.schemas.benchmark import DEFAULT_BENCHMARK, find_declaration
    from perennial.schemas.settings.models import MODELS_FILE, load_models
    from perennial.schemas.variables import SETTINGS_FILE

    if keep is not None and not github:
        raise InvalidOption(f"--keep {keep}: it says where the workflow of --github keeps the data root")
    if wheel is not None and not github:
        raise InvalidOption(f"--wheel {wheel}: it says what the workflow of --github installs")
    kept_in = check_keep(keep or RELEASE)
    install = install_lines(kept_in, folder, wheel) if github else []
    console = Terminal(soft_wrap=True)
    _write(folder / SETTINGS_FILE, settings_file(find_declaration(DEFAULT_BENCHMARK)), console)
    _write(folder / MODELS_FILE, models_file(), console)
    if not github:
        return
    models = load_models(str(folder / MODELS_FILE)).values()
    if _write(folder / WORKFLOW, github_workflow(kept_in, models, install), console):
        needed, keys = secrets_of(kept_in, models)
        console.print(
            f"next:      set the repository's secrets {', '.join(needed)}, and of {', '.join(keys)} those"
        )
        console.print(
            "           that your models need; choose GitHub Actions as the source of Pages; commit and push"
        )
    if not (folder / ".git").exists():
        console.print(f"note: GitHub runs workflows of a repository's top folder, and {folder} has no .git")


def _write(path: Path, text: str, console: Terminal) -> bool:
    """Write a file, and say so; keep one that is there. Whether it is written."""
    if os.path.lexists(path):
        console.print(f"{path} is there already, and was kept")
        return False
    try:
        if path.parent.parent.name == ".github":
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UnreadableInput(
            f"{path}: cannot be written ({error.strerror}); name a folder that exists and can be written"
        ) from None
    console.print(f"{path} is written")
    return True


models = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Try the models of models.toml.",
    epilog="Example: perennial models check",
    rich_markup_mode="rich",
)


@models.callback()
def _models() -> None:
    """Try the models of models.toml, or others."""


@models.command()
def check(
    names: Annotated[
        list[str] | None, typer.Argument(help="Models to try. Default: those of models.toml.")
    ] = None,
    models_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="File with the models. Default: models.toml here.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Server of models whose entry names none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Make one short call to each model, as a refresh would make it, and print what works.

    These calls do not belong to an edition and are not kept. Exit code 6 if one of them fails.

    Example: perennial models check o3 my-local-model
    """
    from perennial.flows.refresh.models import try_models
    from perennial.schemas.settings import load_settings

    settings = load_settings({"models_file": models_file, "base_url": base_url})
    settings.refuse_overridden(names or tuple(settings.model_entries()))
    tried = try_models(settings, names or ())
    if as_json:
        print_json([asdict(trial) for trial in tried])
    else:
        console = Terminal(soft_wrap=True)
        for trial in tried:
            console.print(_line(trial))
    if any(trial.error for trial in tried):
        raise typer.Exit(EndpointFailed.exit_code)


def _line(tried: "TriedModel") -> str:
    if tried.error or tried.reply is None:
        remedy = f"; to do: {tried.remedy}" if tried.remedy else ""
        return f"failed  {tried.name} at {tried.server}: {tried.error}{remedy}"
    reply = tried.reply
    tokens = f"{reply.prompt_tokens} + {reply.completion_tokens} tokens" if reply.tokens else "tokens unknown"
    cost = "cost unknown" if reply.cost_usd is None else f"${reply.cost_usd:.6f}"
    accepted = ", ".join(tried.sent)
    return (
        f"ok      {tried.name} at {tried.server}: {reply.status}, {reply.latency_s:.2f} s, {tokens}, {cost}; "
        f"accepts {accepted}"
        + (", batches" if tried.takes_batches else "")
        + "".join(f"; note: {note}" for note in tried.notes)
    )


# `perennial try`: a first score of a model, in two minutes and at most 60 calls.

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
    from perennial.flows.cli.run.refresh import execute_plainly, grow_and_play
    from perennial.flows.console.print_first_score import WIDTH, print_first_score
    from perennial.flows.refresh.plan import prepare_refresh
    from perennial.flows.refresh.publish import units_of_root
    from perennial.schemas.errors import InvalidOption, LimitReached
    from perennial.schemas.settings.refresh import choose_benchmarks, load_settings
    from perennial.warehouse.lock import refuse_locked
    from perennial.warehouse.store.store import Store

    if not model or "," in model or model != model.strip():
        raise InvalidOption(f"MODEL {model!r}: expected one name, without commas and spaces around it")
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
