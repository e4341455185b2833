"""The settings of a refresh as the parameters of a flow: typed, described and optional.

Prefect draws its form from a flow's signature and from the `Args` of its docstring. Both are derived here
from `RefreshSettings` and from the help of the command's options, so that no setting is written down twice.

Whoever reaches the Prefect server chooses the parameters of a run. So none names an endpoint, a root, a
runner or a file: what is left are counts, seeds, limits and thresholds, names of players, models and sizes of
instances, the categories of new domains, and which of the bundled domains are used.
"""

import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic.fields import FieldInfo

from flows.console import refresh_options as options
from schemas.settings import RefreshSettings
from warehouse.kumo.bundled_domains import bundled_domains

# A URL of these may hold a secret: it comes from the environment or perennial.toml, never by Prefect.
SECRET_SETTINGS = ("webhook", "openlineage_url")
# Where keys, data and code go: these come from the operator's environment or perennial.toml alone.
_OPERATOR_SETTINGS = ("root", "runner", "base_url", *SECRET_SETTINGS)
# A setting may name files of the operator's, a parameter may not.
_BUNDLED_DOMAIN: Any = Literal[*bundled_domains()]
_NARROWED: dict[str, Any] = {"domains": list[_BUNDLED_DOMAIN]}
_NARROWED_HELP = {"domains": "Bundled domains. Default: those of perennial.toml, or all bundled."}


def setting_names() -> tuple[str, ...]:
    """Return the names of the settings that are parameters, in the order of the command's options."""
    order = list(vars(options))
    names = (name for name in RefreshSettings.model_fields if name not in _OPERATOR_SETTINGS)
    return tuple(sorted(names, key=lambda name: order.index(_option_name(name))))


def takes_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function one parameter a setting: typed, described, and None where it is not given."""
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_annotation(name),
        )
        for name in setting_names()
    ]
    signature = inspect.signature(function).replace(parameters=parameters)
    setattr(function, "__signature__", signature)  # noqa: B010  no attribute that type checkers know
    lines = (f"    {name}: {_help(name)}" for name in setting_names())
    function.__doc__ = "\n".join((function.__doc__ or "", "", "Args:", *lines))
    return function


def _annotation(name: str) -> Any:
    if name in _NARROWED:
        return _NARROWED[name] | None
    field: FieldInfo = RefreshSettings.model_fields[name]
    annotation: Any = field.annotation
    for constraint in field.metadata:
        annotation = Annotated[annotation, constraint]
    return annotation | None


def _help(name: str) -> str:
    if name in _NARROWED_HELP:
        return _NARROWED_HELP[name]
    _, details = typing.get_args(getattr(options, _option_name(name)))
    return str(details.help)


def _option_name(setting: str) -> str:
    return "".join(part.title() for part in setting.split("_"))
