"""`perennial models check`: try the models of models.toml."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from perennial.flows.console.terminal import Terminal, json_text
from perennial.schemas.errors import EndpointFailed

if TYPE_CHECKING:
    from perennial.flows.models.check import TriedModel

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
        str | None, typer.Option("--models-file", help="File with the models. Default: models.toml here.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Server of models whose entry names none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Make one short call to each model, as a refresh would make it, and print what works.

    These calls do not belong to an edition and are not kept. Exit code 6 if one of them fails.

    Example: perennial models check o3 my-local-model
    """
    from perennial.flows.models.check import try_models
    from perennial.schemas.settings import load_settings

    settings = load_settings({"models_file": models_file, "base_url": base_url})
    settings.refuse_overridden(names or tuple(settings.model_entries()))
    tried = try_models(settings, names or ())
    if as_json:
        sys.stdout.write(json_text([asdict(one) for one in tried]) + "\n")
    else:
        console = Terminal(soft_wrap=True)
        for one in tried:
            console.print(_line(one))
    if any(one.error for one in tried):
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
        + ", batches" * tried.takes_batches
        + "".join(f"; note: {note}" for note in tried.notes)
    )
