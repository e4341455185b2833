"""`perennial evaluate`: let players answer the questions of a published edition."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.refresh import result_console, run_flow, without_secrets
from flows.console.print_edition import print_edition
from schemas.errors import InvalidOption
from warehouse.catalog.catalog import row_file, visible_editions
from warehouse.editions.selectors import select_unit
from warehouse.lock.root_lock import refuse_locked
from warehouse.staging.staging import Staging
from warehouse.store.store import Store

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


def evaluate(
    flags: dict[str, Any],
    edition: Annotated[
        str | None,
        typer.Argument(help="The edition; latest~1 is the one before the newest. Default: newest."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Prefect's own messages.")] = False,
) -> None:
    """Let players answer the questions of a published edition, and publish their answers.

    The edition's figures are then computed over all of its evaluations. A model that played it before plays
    more runs, numbered after those. An interrupted evaluation resumes when the same command is given again.

    Example: perennial evaluate latest --players gpt-4.1-mini --runs 3 --max-calls 5000
    """
    from flows.refresh.evaluation import prepare_evaluation
    from flows.run.choose_runner import check_runner
    from schemas.settings import load_settings

    store = Store(load_settings(flags | {"edition": ""}).root)
    chosen = load_settings(flags | {"edition": _edition(store, edition)})
    console = result_console(as_json)
    refuse_locked(store)
    plan = prepare_evaluation(chosen, store, name)
    if store.exists(row_file(plan.unit)):
        Staging(store, plan.unit).remove()
        console.print(f"evaluation {plan.unit} is published already, with these settings: nothing to do")
    else:
        check_runner(chosen.runner)
        store.require_conditional_writes()
        console.print(f"evaluation {plan.unit} in {chosen.root}: {', '.join(plan.players)}")
        values = {"settings": without_secrets(chosen), "evaluation": plan.name}
        run_flow("evaluate", plan.benchmark, chosen.root, console, verbose, **values)
    print_edition(store, plan.unit, console, as_json)


def evaluation_settings(_args: Sequence[str]) -> "Mapping[str, FieldInfo]":
    """Return the settings that are options: those that concern players and calls, whatever the benchmark."""
    from schemas.settings import RefreshSettings

    fields = RefreshSettings.ordered_fields()
    return {name: field for name, field in fields.items() if name not in ("benchmark", "edition", "seed")}


def _edition(store: Store, named: str | None) -> str:
    known = visible_editions(store)
    if not known:
        raise InvalidOption(f"no edition is published in {store.root}: run `perennial refresh` first")
    return select_unit(store, named, known)
