"""The options of a command that are settings: made from the fields that describe them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from flows.console.help_form import put_example_last

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

Command = Callable[..., None]
_BENCHMARK = "--benchmark"


def with_settings(function: Command, fields: "Mapping[str, FieldInfo]") -> Command:
    """Return the function with an option for each setting, before its own options.

    Its first parameter gets the settings by name, None for those that are not given.
    """
    _, *own = inspect.signature(function, eval_str=True).parameters.values()

    @wraps(function)
    def command(**given: Any) -> None:
        function({name: given.pop(name) for name in fields}, **given)

    options = [_option(name, field) for name, field in fields.items()]
    own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    setattr(command, "__signature__", inspect.Signature([*options, *own]))  # noqa: B010  unknown to mypy
    return command


def settings_command(
    function: Command, has: "Callable[[str, FieldInfo], bool]" = lambda _name, _field: True
) -> type[TyperCommand]:
    """Return the class of a command that has the settings of the benchmarks it is used with.

    `has` says which of them, by name and field.
    """

    class SettingsCommand(TyperCommand):
        def make_context(
            self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
        ) -> Any:
            """Read the names of benchmarks first: their settings are options too."""
            from schemas.settings.refresh import choose_benchmarks
            from schemas.settings.several import fields_of

            known = fields_of(choose_benchmarks(_flag_of(args)))
            fields = {name: field for name, field in known.items() if has(name, field)}
            app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
            app.command(self.name)(with_settings(function, fields))
            command = put_example_last(typer.main.get_command(app))
            return command.make_context(info_name, args, parent, **extra)

    return SettingsCommand


def settings_app(
    function: Command, has: "Callable[[str, FieldInfo], bool]" = lambda _name, _field: True
) -> typer.Typer:
    """Return an application of this one command, with the settings that it has."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.command(cls=settings_command(function, has))(with_settings(function, {}))
    return app


def _option(name: str, field: "FieldInfo") -> inspect.Parameter:
    from schemas.settings.form import describe_setting, panel_of

    flag = f"--{name.replace('_', '-')}"
    if field.annotation is bool:
        flag = f"{flag}/{flag.replace('--', '--no-', 1)}"
    details = typer.Option(flag, help=describe_setting(field), rich_help_panel=panel_of(field) or None)
    kind: Any = str if isinstance(field.default, list) else field.annotation
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, details]
    )


def _flag_of(args: Sequence[str]) -> str | None:
    """Return the value of --benchmark, None where it is not given."""
    for place, text in enumerate(args):
        if text == _BENCHMARK:
            return args[place + 1] if place + 1 < len(args) else None
        if text.startswith(f"{_BENCHMARK}="):
            return text.removeprefix(f"{_BENCHMARK}=")
    return None
