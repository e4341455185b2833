"""The settings of a refresh as the parameters of a flow: typed, described and optional.

Prefect draws its form from a flow's signature and from the `Args` of its docstring: both are made from the
fields of the settings of the benchmark that this process serves. Of several they are those that all share:
each benchmark's own come from its section of perennial.toml.

Whoever reaches the Prefect server chooses the parameters of a run. So none names an endpoint, a root, a
runner or a file: what is left are counts, seeds, limits and thresholds, and names of what is there already.
Where a benchmark's setting may name a file, `Benchmark.flow_parameters` has what a run may choose instead.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

from perennial.flows.benchmark import find_benchmark
from perennial.schemas.settings.form import describe_setting
from perennial.schemas.settings.refresh import RefreshSettings, choose_benchmarks

# A URL of these may hold a secret: it comes from the environment or perennial.toml, never by Prefect.
SECRET_SETTINGS = ("webhook", "openlineage_url")
# Where keys, data and code go: these come from the operator's environment or perennial.toml alone.
_OPERATOR_SETTINGS = ("benchmark", "root", "runner", "base_url", "models_file", *SECRET_SETTINGS)


def _parameters() -> dict[str, tuple[Any, str]]:
    """Return type and help of each parameter, in the order of the command's options."""
    benchmark, *others = choose_benchmarks(None)
    form: type[RefreshSettings] = RefreshSettings if others else benchmark.settings()
    found: dict[str, tuple[Any, str]] = {}
    for name, field in form.ordered_fields().items():
        annotation: Any = field.annotation
        for constraint in field.metadata:
            annotation = Annotated[annotation, constraint]
        found[name] = annotation, describe_setting(field)
    offered = {name: found[name] for name in found if name not in _OPERATOR_SETTINGS}
    own = offered if others else {**offered, **find_benchmark(benchmark.name).flow_parameters()}
    return {name: parameter for name, parameter in own.items() if parameter is not None}


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
