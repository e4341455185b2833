"""The flows that are deployed: a refresh, its analysis and its audit, with parameters for Prefect's form.

They are what `prefect.yaml` names and `perennial serve` runs. What a parameter leaves out comes from the
environment and perennial.toml of the process that runs the flow; secrets, endpoints and the data root come
from there alone.
"""

import inspect
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from prefect import Flow, State, flow, runtime
from prefect.artifacts import create_markdown_artifact
from prefect.client.schemas.objects import FlowRun
from prefect.states import Completed

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console import progress
from perennial.flows.refresh.make_units import make_editions
from perennial.flows.refresh.plan import FIRST
from perennial.flows.refresh.several import prepare_each
from perennial.flows.run.by_prefect import PrefectExecution, log_run
from perennial.flows.run.code_version import code_version
from perennial.flows.serve.child_runs import DOCS_VARIABLE, end_with_parent
from perennial.flows.watchers.watcher import Notices
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import EditionName, load_settings
from perennial.schemas.settings.form import describe_setting
from perennial.schemas.settings.refresh import SECRET_SETTINGS, RefreshSettings, choose_benchmarks
from perennial.schemas.settings.several import load_each
from perennial.schemas.units import evaluation_of
from perennial.warehouse.catalog.catalog import published_units
from perennial.warehouse.store.store import Store

# The settings of a refresh as the parameters of a flow: typed, described and optional.
#
# Prefect draws its form from a flow's signature and from the `Args` of its docstring: both are made from the
# fields of the settings of the benchmark that this process serves. Of several they are those that all share:
# each benchmark's own come from its section of perennial.toml.
#
# Whoever reaches the Prefect server chooses the parameters of a run. So none names an endpoint, a root, a
# runner or a file: what is left are counts, seeds, limits and thresholds, and names of what is there already.
# Where a benchmark's setting may name a file, `Benchmark.flow_parameters` has what a run may choose instead.

# Where keys, data and code go: these come from the operator's environment or perennial.toml alone.
_OPERATOR_SETTINGS = ("benchmark", "root", "runner", "base_url", "models_file", *SECRET_SETTINGS)


def _parameters() -> dict[str, tuple[Any, str]]:
    benchmark, *others = choose_benchmarks(None)
    form: type[RefreshSettings] = RefreshSettings if others else benchmark.settings()
    parameters: dict[str, tuple[Any, str]] = {}
    for name, field in form.ordered_fields().items():
        annotation: Any = field.annotation
        for constraint in field.metadata:
            annotation = Annotated[annotation, constraint]
        parameters[name] = annotation, describe_setting(field)
    offered = {name: parameters[name] for name in parameters if name not in _OPERATOR_SETTINGS}
    chosen = offered if others else {**offered, **find_benchmark(benchmark.name).flow_parameters()}
    return {name: parameter for name, parameter in chosen.items() if parameter is not None}


def takes_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function one parameter per setting: typed, described, and None where it is not given."""
    settings = _parameters()
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation | None)
        for name, (annotation, _) in settings.items()
    ]
    signature = inspect.signature(function).replace(parameters=parameters)
    setattr(function, "__signature__", signature)  # noqa: B010  no attribute that type checkers know
    lines = (f"    {name}: {text}" for name, (_, text) in settings.items())
    function.__doc__ = "\n".join((function.__doc__ or "", "", "Args:", *lines))
    return function


def _fresh_editions(flags: JsonObject) -> list[str]:
    """Publish an edition of each benchmark and return their names.

    A refresh that was killed between publishing and tidying up is found staged and published: it is
    tidied up, and is no fresh edition, so that another one follows.
    """
    all_settings = load_each(flags)
    before = published_units(Store(all_settings[0].root))

    def make() -> list[str]:
        outcomes = make_editions(
            all_settings, lambda store: prepare_each(all_settings, store), PrefectExecution()
        )
        return [outcome.edition for outcome in outcomes]

    editions = make()
    if not all_settings[0].edition and all(evaluation_of(edition, FIRST) in before for edition in editions):
        return make()
    return editions


def _tell_of_crash(flow: Flow[..., Any], flow_run: FlowRun, state: State[object]) -> None:
    """Send the webhook's message for a process that could not do so itself."""
    # Without the run's parameters: nothing has checked those of a run that never came to start.
    settings = load_settings({})
    edition = str(flow_run.parameters.get("edition") or settings.edition)
    notices = Notices(settings.webhook, settings.root, settings.benchmark, edition, code_version())
    notices.crashed(state.message or "the process of the refresh ended without an error message")


@flow(
    name="refresh",
    description="Grow and publish one edition of fresh instances of each benchmark, or resume them.",
    on_crashed=[_tell_of_crash],
)
@takes_settings
def grow_edition(**settings: object) -> State[object]:
    """Grow and publish one edition, as `perennial refresh` does."""
    with _run_of_its_own():
        editions = _fresh_editions(settings)
        from perennial.flows.website.build import renew_site

        site = renew_site(Store(load_settings({}).root))
    subject = f"edition {editions[0]} is" if len(editions) == 1 else f"editions {', '.join(editions)} are"
    return Completed(message=f"{subject} published{site}")


def _name_run() -> str:
    parameters = runtime.flow_run.parameters
    return f"{runtime.flow_run.flow_name} {parameters.get('edition') or 'every edition'}"


@flow(
    name="analyse",
    flow_run_name=_name_run,
    description="Compute the statistics of published editions again; no model is called.",
)
def analyse(edition: EditionName | None = None) -> State[object]:
    """Compute statistics again, as `perennial analyse` does.

    Args:
        edition: The edition. Default: every published one.
    """
    from perennial.flows.editions.audit import analyse_editions

    with _run_of_its_own():
        store = Store(load_settings({}).root)
        analyse_editions(store, edition or None, progress.note)
        from perennial.flows.website.build import renew_site

        site = renew_site(store)
    return Completed(message=f"the statistics are up to date{site}")


@flow(name="audit", flow_run_name=_name_run, description="Audit published tables again.")
def audit(edition: EditionName | None = None) -> State[object]:
    """Check published tables, as `perennial audit` does; fail where an expectation no longer holds.

    Args:
        edition: The edition. Default: every published one.
    """
    from perennial.flows.editions.audit import audit_unit, require_expectations, units_to_audit
    from perennial.warehouse.audit.great_expectations import CheckpointRunner

    store = Store(load_settings({}).root)
    broken = {}
    with _run_of_its_own():
        docs = _make_docs_folder()
        runner = CheckpointRunner(docs)
        for name in units_to_audit(store, edition):
            summary, broken[name] = audit_unit(store, name, runner)
            progress.note(f"{name}: {summary}")
        if docs is not None:
            index = runner.build_docs().relative_to(docs.parents[1])
            url = f"{os.environ['PREFECT_API_URL'].removesuffix('/api')}/{index}"
            create_markdown_artifact(
                f"[Data Docs of the audit]({url}): a page per suite, with rows that break it. The next "
                "audit replaces them; `perennial audit EDITION --docs FOLDER` keeps them.",
                key="data-docs",
                description=f"Data Docs of {edition or 'every edition'}",
            )
        require_expectations(broken, store)
    return Completed(message=f"audited: {', '.join(broken)}")


def _make_docs_folder() -> Path | None:
    """Replace the Data Docs that `perennial serve` shows by an empty folder whose name nobody can guess."""
    if DOCS_VARIABLE not in os.environ:
        return None
    shutil.rmtree(os.environ[DOCS_VARIABLE], ignore_errors=True)
    folder = Path(os.environ[DOCS_VARIABLE], secrets.token_urlsafe(16))
    folder.mkdir(mode=0o700, parents=True)
    return folder


@contextmanager
def _run_of_its_own() -> Iterator[None]:
    """Show progress in the run's log, and end with the process that serves."""
    end_with_parent()
    with log_run():
        yield
