"""The settings of a refresh as the parameters of a flow: typed, described and optional.

Prefect draws its form from a flow's signature and from the `Args` of its docstring. Both are derived here
from `RefreshSettings` and from the help of the command's options, so that no setting is written down twice.
"""

import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any

from pydantic.fields import FieldInfo

from flows.console import refresh_options as options
from schemas.settings import RefreshSettings

# A URL of these may hold a secret: it comes from the environment or perennial.toml, never by Prefect.
SECRET_SETTINGS = ("webhook", "openlineage_url")


def setting_names() -> tuple[str, ...]:
    """Return the names of the settings that are parameters, in the order of the command's options.

    They are all settings but those that may hold a secret.
    """
    order = list(vars(options))
    names = (name for name in RefreshSettings.model_fields if name not in SECRET_SETTINGS)
    return tuple(sorted(names, key=lambda name: order.index(_option_name(name))))


def takes_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function one parameter a setting: typed, described, and None where it is not given."""
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_optional(RefreshSettings.model_fields[name]),
        )
        for name in setting_names()
    ]
    signature = inspect.signature(function).replace(parameters=parameters)
    setattr(function, "__signature__", signature)  # noqa: B010  no attribute that type checkers know
    lines = (f"    {name}: {_help(name)}" for name in setting_names())
    function.__doc__ = "\n".join((function.__doc__ or "", "", "Args:", *lines))
    return function


def _optional(field: FieldInfo) -> Any:
    annotation: Any = field.annotation
    for constraint in field.metadata:
        annotation = Annotated[annotation, constraint]
    return annotation | None


def _help(name: str) -> str:
    _, details = typing.get_args(getattr(options, _option_name(name)))
    return str(details.help)


def _option_name(setting: str) -> str:
    return "".join(part.title() for part in setting.split("_"))
