"""Execute what a command has prepared: as a Prefect flow beside an embedded server, or plainly without it.

The caller holds the root's lock: a second writer is refused before Prefect, which takes seconds to start.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

import typer

from perennial.flows.benchmark import Benchmark, find_benchmark
from perennial.flows.console import progress
from perennial.flows.console.interrupts import Interrupted, signals_interrupt
from perennial.flows.console.steps import show_steps
from perennial.flows.console.terminal import Terminal
from perennial.flows.run.compiled_code import compile_once
from perennial.flows.serve.embedded_server import EmbeddedServer
from perennial.flows.serve.free_space import when_full
from perennial.flows.serve.prefect_environment import configure_prefect, prefect_home
from perennial.flows.stages.leaving import leave
from perennial.schemas.errors import PerennialError, ServerEnded
from perennial.schemas.rows import JsonObject

if TYPE_CHECKING:
    from perennial.flows.run.plain_stages import Execution
    from perennial.schemas.settings import RefreshSettings

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
        """Return the settings as Prefect may keep and show them."""
        from perennial.flows.serve.flow_parameters import SECRET_SETTINGS

        dumps = [settings.model_dump(exclude={*SECRET_SETTINGS, "seed"}) for settings in self.settings]
        return [{**dump, **self.details} for dump in dumps]


def execute_by_prefect(job: Job[Result], console: Terminal, *, verbose: bool = False) -> Result:
    """Do the job in a flow run, beside an embedded server; an interrupt becomes an exit code."""
    configure_prefect(job.root, verbose)
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
        run = partial(run_as_flow, job.flow, job.units, job.list_settings(), job.make)
        if not server.is_own:
            return run()
        with when_full(prefect_home(job.root), lambda error: context.run(_leave_at_once, error)):
            return run()


def execute_plainly(job: Job[Result], console: Terminal, *, verbose: bool = False) -> Result:
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
    leave(error)
