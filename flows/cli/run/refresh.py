"""`perennial refresh`: grow and publish one edition, or one of each of several benchmarks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

import typer

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console import progress
from perennial.flows.console.interrupts import Interrupted, signals_interrupt
from perennial.flows.console.messages import is_verbose
from perennial.flows.console.print_edition import print_edition
from perennial.flows.console.progress import show_steps
from perennial.flows.console.root_option import data_root, whole_path
from perennial.flows.console.row_formats import Terminal
from perennial.flows.console.settings_options import settings_app
from perennial.flows.refresh.print_plan import (
    estimate_evaluation,
    estimate_refresh,
    print_evaluation_plan,
    print_plans,
)
from perennial.flows.run.compiled_code import compile_once
from perennial.flows.serve.embedded_server import EmbeddedServer, begin_server
from perennial.flows.serve.free_space import when_full
from perennial.flows.serve.prefect_environment import configure_prefect, prefect_home
from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import InvalidOption, PerennialError, ServerEnded, find_alike
from perennial.schemas.rows import JsonObject
from perennial.warehouse.catalog.catalog import visible_editions
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.lock import lock_root, refuse_locked
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from perennial.flows.refresh.plan import PreparedRefresh
    from perennial.flows.refresh.publish import UnitsOfRoot
    from perennial.flows.refresh.several import EditionOutcome
    from perennial.flows.run.plain_stages import Execution
    from perennial.schemas.plan import EditionPlan, EvaluationPlan
    from perennial.schemas.settings import RefreshSettings


# Execute what a command has prepared: as a Prefect flow beside an embedded server, or plainly without it.
#
# The caller holds the root's lock: a second writer is refused before Prefect, which takes seconds to start.

Result = TypeVar("Result")


@dataclass(frozen=True)
class Job(Generic[Result]):
    """What a command has to do: `make` does it; `benchmarks` are those that it grows.

    Prefect shows it as a run of flow `flow`, named by its `units`, with these settings and `details`.
    """

    flow: str
    units: Sequence[str]
    settings: "Sequence[RefreshSettings]"
    make: "Callable[[Execution], Result]"
    benchmarks: Sequence[str] = ()
    details: JsonObject = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The data root, the same in all settings."""
        return self.settings[0].root

    def list_settings(self) -> list[JsonObject]:
        """The settings without secrets and without the seed, as Prefect may keep and show them."""
        from perennial.schemas.settings.refresh import SECRET_SETTINGS

        dumps = [settings.model_dump(exclude={*SECRET_SETTINGS, "seed"}) for settings in self.settings]
        return [{**dump, **self.details} for dump in dumps]


# How a job is done: `execute_by_prefect` with its options, or `execute_plainly`.
Execute = Callable[[Job[Result], Terminal], Result]


def execute_by_prefect(job: Job[Result], console: Terminal) -> Result:
    """Do the job in a flow run, beside an embedded server; an interrupt becomes an exit code."""
    configure_prefect(job.root, is_verbose())
    with signals_exit(), _show_progress(console), EmbeddedServer(prefect_home(job.root)) as server:
        with show_steps("start") as step:
            compiled = _compile(job.benchmarks, step)
            step("starting Prefect")
            # What takes a second to import is imported while the server starts.
            from perennial.flows.run.by_prefect import run_as_flow

            server.wait_ready()
        progress.note(f"{'start':<12} {''.join(f'{done}; ' for done in compiled)}Prefect is up")
        context = copy_context()
        server.when_ended(lambda: context.run(_leave_without_server))
        run = partial(run_as_flow, job.flow, job.units, job.list_settings(), job.make, Store(job.root))
        if not server.is_own:
            return run()
        with when_full(prefect_home(job.root), lambda error: context.run(_leave_at_once, error)):
            return run()


def execute_plainly(job: Job[Result], console: Terminal) -> Result:
    """Do the job without Prefect; an interrupt becomes an exit code."""
    from perennial.flows.run.plain_stages import Execution

    with signals_exit(), _show_progress(console):
        with show_steps("start") as step:
            compiled = _compile(job.benchmarks, step)
        if compiled:
            progress.note(f"{'start':<12} {'; '.join(compiled)}")
        return job.make(Execution())


@contextmanager
def signals_exit() -> Iterator[None]:
    """Let an interrupt of the block become an exit code."""
    try:
        with signals_interrupt():
            yield
    except Interrupted as interrupted:
        raise typer.Exit(interrupted.exit_code) from None


@contextmanager
def _show_progress(console: Terminal) -> Iterator[None]:
    with progress.show_on(console, Terminal(stderr=True, soft_wrap=True)):
        yield


def _compile(names: Sequence[str], step: Callable[[str], None]) -> list[str]:
    """Make compiled code of these benchmarks ready; return a clause about each that had to be compiled."""
    step("making compiled code ready (compiled on first use)")
    chosen = [find_benchmark(name) for name in names]
    compiled = [benchmark for benchmark in chosen if benchmark.offers(Benchmark.warm_up)]
    clauses = [compile_once(benchmark.name, benchmark.warm_up) for benchmark in compiled]
    return [clause for clause in clauses if clause]


def _leave_without_server() -> None:
    """Leave as soon as no call is in flight: Prefect would try for minutes to reach its server."""
    _leave_at_once(
        ServerEnded(
            "the embedded Prefect server has ended (killed, or out of memory?): see .prefect/server.log in "
            "the data root; staged work and replies are kept, and the same command resumes"
        )
    )


def _leave_at_once(error: PerennialError) -> None:
    progress.end_bar()
    from perennial.flows.stages.model_calls import leave

    leave(error)


DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the plan, its counts and an estimate of cost; do nothing else."),
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Agree to a run of more than 5,000 model calls or $20.")
]
_WIDTH = 165  # columns of what is printed into a file or a pipe: the floor, and four figures with intervals


def refresh(
    flags: JsonObject,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Grow one edition, let players answer its questions, audit and publish both.

    With several benchmarks (--benchmark all), it grows one edition for each, in turn; limits of calls and
    cost cover all of them together. Give the same command again to resume an interrupted refresh.

    Example: perennial refresh --players gpt-4.1-mini --max-calls 5000 --private-share 0.2
    """
    from perennial.flows.refresh.several import EditionsFailed, prepare_each
    from perennial.schemas.settings.several import load_each

    all_settings = load_each(flags)
    console = result_console(as_json)
    store = Store(all_settings[0].root)
    if dry_run:
        prepared = prepare_each(all_settings, store, needs_key=False, flags=flags)
        _note_aliases(all_settings, console)
        _warn(prepared, console)
        print_plans(console, store, prepared, as_json, all_settings)
        return
    refuse_locked(store)
    begin_server()
    try:
        outcomes = make_each(all_settings, flags, console, execute_by_prefect, yes=yes)
    except EditionsFailed as error:
        _print_result(store, error.outcomes, console, as_json)
        raise
    _print_result(store, outcomes, console, as_json)


def make_each(
    all_settings: "Sequence[RefreshSettings]",
    flags: JsonObject,
    console: Terminal,
    execute: "Execute[list[EditionOutcome]]",
    *,
    yes: bool = False,
) -> "list[EditionOutcome]":
    """Publish an edition and its first evaluation for each of the settings, unless that was done before.

    Raises EditionsFailed where some of several failed.
    """
    from perennial.flows.refresh.print_plan import refuse_large_run
    from perennial.flows.refresh.publish import units_of_root
    from perennial.flows.refresh.several import end_run, outcome_of, prepare_each
    from perennial.flows.run.choose_runner import check_runner

    first = all_settings[0]
    store = Store(first.root)
    refuse_locked(store)
    before = units_of_root(store)
    prepared = prepare_each(all_settings, store, flags=flags)
    _note_aliases(all_settings, console)
    for job in prepared:
        if job.published:
            notice = f"edition {job.plan.edition} is published already, with these settings"
            console.print(notice if len(prepared) > 1 else f"{notice}: nothing to do")
    if all(job.published for job in prepared):
        plans = [job.plan for job in prepared]
        end_run(store, plans)
        return [outcome_of(plan) for plan in plans]
    new = [job for job in prepared if not job.resumed]
    refuse_large_run(
        first, lambda: [row for job in new for row in estimate_refresh(store, job, first)], yes=yes
    )
    check_runner(first.runner)
    store.require_conditional_writes()
    return grow_and_play(all_settings, store, prepared, before, console, execute)


def _note_aliases(all_settings: "Sequence[RefreshSettings]", console: Terminal) -> None:
    from perennial.flows.refresh.plan import describe_aliases

    chosen = [find_benchmark(settings.benchmark) for settings in all_settings]
    players = all_settings[0].players
    for note in dict.fromkeys(note for choice in chosen for note in describe_aliases(players, choice)):
        console.print(f"note: {note}")


def grow_and_play(
    all_settings: "Sequence[RefreshSettings]",
    store: Store,
    prepared: "Sequence[PreparedRefresh]",
    before: "UnitsOfRoot",
    console: Terminal,
    execute: "Execute[list[EditionOutcome]]",
) -> "list[EditionOutcome]":
    """Grow and play what is prepared, once its models are looked up; the root is locked meanwhile.

    `before` is what the root held when that was prepared.
    """
    from perennial.flows.refresh.make_units import make_editions
    from perennial.flows.refresh.publish import refuse_changed_root

    _warn(prepared, console)
    named = [
        settings.model_copy(
            update={"edition": refresh.plan.edition, "players": list(refresh.plan.evaluation.players)}
        )
        for settings, refresh in zip(all_settings, prepared, strict=True)
    ]
    editions = [refresh.plan.edition for refresh in prepared]
    for refresh in prepared:
        if not refresh.published:
            verb = "resuming" if refresh.resumed else "growing"
            progress.announce(console, f"{verb} edition {refresh.plan.edition} in {whole_path(store)}")
    with lock_root(store, f"refresh {', '.join(editions)}", console.print):
        refuse_changed_root(store, before)
        _look_up_models(all_settings[0], store, prepared, console)
        make = partial(make_editions, named, lambda _store: prepared)
        benchmarks = [settings.benchmark for settings in all_settings]
        return execute(Job("refresh", editions, named, make, benchmarks), console)


def _look_up_models(
    settings: "RefreshSettings", store: Store, prepared: "Sequence[PreparedRefresh]", console: Terminal
) -> None:
    from perennial.flows.refresh.models import choices_of, look_up
    from perennial.flows.watchers.watcher import notice_of_failure

    unfinished = [job for job in prepared if not job.published]
    choices = [choice for job in unfinished for choice in choices_of(job.plan.evaluation, job.part.authors)]
    with signals_exit(), notice_of_failure(settings.webhook, store.root, prepared[0].plan.evaluation):
        look_up(settings, store, choices, console.print, resumed=any(job.resumed for job in unfinished))


def _warn(prepared: "Sequence[PreparedRefresh]", console: Terminal) -> None:
    for job in prepared:
        for warning in job.part.warnings:
            console.print(f"warning: {warning}", style="yellow")
    if any(job.plan.growth.private_share and not job.plan.growth.is_fresh for job in prepared):
        console.print("warning: anyone who knows --seed can draw the private instances", style="yellow")


def _print_result(
    store: Store, outcomes: "Sequence[EditionOutcome]", console: Terminal, as_json: bool
) -> None:
    """Print the edition of one benchmark, or a line about that of each."""
    if len(outcomes) == 1:
        print_edition(store, outcomes[0].edition, console, as_json)
    else:
        from perennial.flows.refresh.several import print_outcomes

        print_outcomes(store, outcomes, console, as_json)


def result_console(as_json: bool) -> Terminal:
    """A console as wide as the terminal; without a terminal, wide enough for a table."""
    console = Terminal(stderr=as_json, soft_wrap=True)
    return console if console.is_terminal else Terminal(stderr=as_json, soft_wrap=True, width=_WIDTH)


refresh_app = settings_app(refresh)


# `perennial evaluate`: let players answer the questions of a published edition.


def is_for_play(name: str, field: "FieldInfo") -> bool:
    """Whether a setting of a refresh, the benchmark's own ones included, is one of an evaluation too."""
    from perennial.schemas.settings import RefreshSettings
    from perennial.schemas.settings.form import CALLS, OPERATION, PLAYERS, panel_of

    panel = panel_of(field)
    if name not in RefreshSettings.model_fields:
        return panel == PLAYERS
    return name in ("benchmark", "root", "players", "runs") or panel in (PLAYERS, CALLS, OPERATION)


def evaluate(
    flags: JsonObject,
    edition: Annotated[
        str | None,
        typer.Argument(
            help="The edition; latest~1 is the one before the newest. Default: the newest, of --benchmark "
            "if that is given."
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    instances: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of instances to play, spread evenly over domains; a larger number later plays "
            "only the rest. Default: all.",
        ),
    ] = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Let players answer the questions of a published edition, and publish their answers.

    The edition's figures are then computed over all of its evaluations. A model that played it before plays
    more runs, numbered after those. An interrupted evaluation resumes when the same command is given again.

    Example: perennial evaluate latest --players gpt-4.1-mini --runs 3 --max-calls 5000
    """
    console = result_console(as_json)
    store, growth = find_evaluated(flags, edition)
    chosen = load_evaluation(flags, growth)
    if dry_run:
        plan = _plan_evaluation(store, chosen, name, instances or 0, console, needs_key=False)
        print_evaluation_plan(console, store, plan, as_json, chosen)
        return
    refuse_locked(store)
    begin_server()
    unit = evaluate_players(store, chosen, name, instances or 0, console, execute_by_prefect, yes=yes)
    print_edition(store, unit, console, as_json)


def find_evaluated(flags: JsonObject, edition: str | None) -> "tuple[Store, EditionPlan]":
    """Return the data root, and the plan of the named edition, by default the benchmark's newest one.

    All other settings are read when the edition has said of which benchmark they are.
    """
    store = data_root(flags.get("root"))
    try:
        chosen = select_unit(store, edition, visible_editions(store), flags.get("benchmark"))
    except InvalidOption as error:
        installed = map(find_benchmark, benchmarks())
        names = (name for benchmark in installed for name in (*benchmark.programs, *benchmark.aliases))
        player = find_alike(edition or "", names)
        if player is None or "did you mean" in str(error):
            raise
        raise InvalidOption(f"{error}; players are named with --players {player}") from None
    return store, read_published_plan(store, chosen)


def load_evaluation(flags: JsonObject, growth: "EditionPlan") -> "RefreshSettings":
    """Return the settings of an evaluation of this edition; raise InvalidOption for another's benchmark."""
    from perennial.schemas.settings import load_settings

    if flags.get("benchmark") not in (None, growth.benchmark):
        raise InvalidOption(
            f"--benchmark {flags['benchmark']}: edition {growth.edition!r} is of {growth.benchmark}: give "
            "that one, whose settings are options then"
        )
    return load_settings({**flags, "benchmark": growth.benchmark, "edition": growth.edition}, "evaluate")


def _plan_evaluation(
    store: Store,
    chosen: "RefreshSettings",
    name: str,
    instances: int,
    console: Terminal,
    *,
    needs_key: bool = True,
) -> "EvaluationPlan":
    from perennial.flows.refresh.evaluation import prepare_evaluation, refuse_damaged_edition

    refuse_damaged_edition(store, chosen.edition)
    plan = prepare_evaluation(chosen, store, name, instances, needs_key=needs_key)
    _note_aliases([chosen], console)
    return plan


def evaluate_players(
    store: Store,
    chosen: "RefreshSettings",
    name: str,
    instances: int,
    console: Terminal,
    execute: Execute[None],
    *,
    yes: bool = False,
) -> str:
    """Publish an evaluation of a published edition, unless it is published already, and return its name."""
    from perennial.flows.refresh.evaluation import is_begun
    from perennial.flows.refresh.make_units import make_evaluation
    from perennial.flows.refresh.models import choices_of, look_up
    from perennial.flows.refresh.print_plan import refuse_large_run
    from perennial.flows.refresh.publish import refuse_changed_root, units_of_root
    from perennial.flows.run.choose_runner import check_runner
    from perennial.flows.watchers.watcher import notice_of_failure

    refuse_locked(store)
    before = units_of_root(store)
    plan = _plan_evaluation(store, chosen, name, instances, console)
    if store.exists(row_file(plan.unit)):
        Staging(store, plan.unit).remove()
        console.print(f"evaluation {plan.unit} is published already, with these settings: nothing to do")
        return plan.unit
    begun = is_begun(store, plan)
    if not begun:
        refuse_large_run(chosen, lambda: estimate_evaluation(store, plan, chosen), yes=yes)
    check_runner(chosen.runner)
    store.require_conditional_writes()
    progress.announce(console, f"evaluation {plan.unit} in {whole_path(store)}: {', '.join(plan.players)}")
    with lock_root(store, f"evaluate {chosen.edition}", console.print):
        refuse_changed_root(store, before)
        with signals_exit(), notice_of_failure(chosen.webhook, store.root, plan):
            look_up(chosen, store, choices_of(plan), console.print, resumed=begun)

        named = chosen.model_copy(update={"players": list(plan.players)})
        details = {"instances": plan.instances}
        make = partial(make_evaluation, named, plan)
        execute(Job("evaluate", [plan.unit], [named], make, details=details), console)
    return plan.unit


evaluate_app = settings_app(evaluate, is_for_play)
