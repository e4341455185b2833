"""The options of a command that a benchmark has: settings, parameters, made from what describes them."""

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from perennial.flows.console.messages import add_message_options
from perennial.schemas.errors import InvalidOption, quote

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo


# The form of every help: what a command does, its options, an example at the end; and the list of all.

_EXAMPLE = "Example: "
# The commands by what they are for, each in at most 22 letters; a benchmark describes its own ones.
OF_BENCHMARKS = "data"
GROUPS: dict[str, dict[str, str]] = {
    "run": {
        "try": "first score of a model",
        "refresh": "grow, play and publish",
        "evaluate": "play an old edition",
        "design": "size and cost of a run",
        "init": "files of settings",
        "models": "test calls to models",
    },
    "look": {
        "query": "SQL on what is there",
        "ask": "saved questions",
        "tables": "tables and columns",
        "report": "an edition on one page",
        "web": "explorer in a browser",
        "episode": "one whole conversation",
        "calls": "model calls one by one",
        "contamination": "who saw an edition",
    },
    "share": {
        "export": "an edition for others",
        "site": "a public website",
        "import": "releases and scores",
        "reproduce": "rebuild and compare",
        "reproduce-paper": "papers beside ours",
    },
    "people": {"study": "let people play", "play": "play yourself"},
    OF_BENCHMARKS: {"sample": "practice questions", "train": "fine-tune a model"},
    "operate": {
        "editions": "list, withdraw, retire",
        "serve": "refresh on a schedule",
        "benchmarks": "installed, and checks",
        "analyse": "statistics again",
        "audit": "expectations again",
        "verify": "files and hashes",
        "doctor": "check everything",
        "unlock": "remove a stale lock",
    },
}
_NAME, _ENTRY, _GROUP = 12, 37, 8


def put_example_last(command: Any) -> Any:
    """Move the example of each command's help below its options.

    Paragraphs are one line each, which the terminal breaks, and what is in brackets is no markup.
    """
    text, separator, example = (command.help or "").partition(f"\n\n{_EXAMPLE}")
    if separator:
        command.help, command.epilog = text, f"{_EXAMPLE}{example}"
    if command.help:
        command.help = "\n\n".join(map(_plain, command.help.split("\n\n")))
    parts = getattr(command, "commands", None)
    if parts is None:
        add_message_options(command)
    for parameter in command.params:
        guard_path(parameter)
        if getattr(parameter, "help", None):
            parameter.help = _plain(parameter.help)
            parameter.show_default = parameter.show_default and "Default:" not in parameter.help
    for part in (parts or {}).values():
        put_example_last(part)
    return command


def guard_path(parameter: Any) -> None:
    """Let an option or argument that names a file or folder refuse a path that no file can have.

    `Path("")` is the working folder: an empty variable of a shell would otherwise be read as `.`.
    """
    if not re.search("Path|FILE|FOLDER", f"{parameter.type_descriptor.annotation} {parameter.metavar}"):
        return
    process = parameter.process_value
    wanted = "a name or a file" if "NAME" in (parameter.metavar or "") else "the path of a file or folder"

    def refuse_unfit(context: Any, typed: Any) -> Any:
        for path in typed if isinstance(typed, list | tuple) else (typed,):
            if isinstance(path, str) and (problem := _describe_unfit(path)):
                named = f"{parameter.opts[0]} {quote(path)}"
                raise InvalidOption(f"{named}: {problem}, expected {wanted}: name another one")
        return process(context, typed)

    parameter.process_value = refuse_unfit


def _describe_unfit(path: str) -> str:
    if not path.strip():
        return "a blank name"
    if "\0" in path:
        return "it holds a NUL character"
    is_long = len(path) > 4096 or max(len(os.fsencode(part)) for part in path.split("/")) > 255
    return "a name of over 255 bytes or a path of over 4,096" if is_long else ""


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(text.replace("\n", " "))


def format_commands(benchmark_commands: Mapping[str, str]) -> str:
    """The list of commands, 80 columns wide; `benchmark_commands` are those of benchmarks, by name."""
    lines = []
    for group, words in GROUPS.items():
        named = {**benchmark_commands, **words} if group == OF_BENCHMARKS else words
        entries = [f"{name:<{_NAME}} {text}" for name, text in named.items()]
        for start in range(0, len(entries), 2):
            first, *second = entries[start : start + 2]
            head = "" if start else group
            lines.append(f"{head:<{_GROUP}}{first:<{_ENTRY}}{''.join(second)}".rstrip())
    return "\n".join(lines)


Command = Callable[..., None]
_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, typer.Option("--help-all", help="Show all options, by subject, and exit.")],
)
_BENCHMARK = "--benchmark"
_ALL = "--help-all"
# What `--help` shows; the rest is for `--help-all`.
_MOST_NEEDED = (
    *("benchmark", "size", "instances", "players", "runs", "author", "root", "base_url", "max_calls"),
    *("max_cost", "dry_run", "yes", "name", "help", "help_all"),
)


def with_settings(
    function: Command, fields: "Mapping[str, FieldInfo]", has_long_help: bool = True
) -> Command:
    """Give the function an option for each setting, before its own options.

    Its first parameter gets their values by name, None for those that are not given.
    """
    _, *parameters = inspect.signature(function, eval_str=True).parameters.values()

    @wraps(function)
    def command(**arguments: Any) -> None:
        arguments.pop("help_all", None)
        function({name: arguments.pop(name) for name in fields}, **arguments)

    # Typer reads options off a signature, in which only keywords may follow those that have defaults.
    options = [_option(name, field) for name, field in fields.items()]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    parameters += [_HELP_ALL] if has_long_help else []
    setattr(command, "__signature__", inspect.Signature([*options, *parameters]))  # noqa: B010  unknown to mypy
    return command


def benchmark_command(
    function: Command, find_fields: "Callable[[str | None], Mapping[str, FieldInfo]]", has_long_help: bool
) -> type[TyperCommand]:
    """A command class whose options depend on the benchmark that the command line names.

    `find_fields` returns what describes them, for the value of `--benchmark` (None: not given).
    """

    class BenchmarkCommand(TyperCommand):
        def make_context(
            self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
        ) -> Any:
            """Read the names of benchmarks first: what they have are options too."""
            named = _flag_of(args)
            app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
            app.command(self.name)(with_settings(function, find_fields(named), has_long_help))
            command = put_example_last(typer.main.get_command(app))
            if has_long_help and _ALL in args:
                args = ["--help"]
            elif has_long_help:
                _shorten_help(command)
            # So that what an error says of the help leads to that of the same benchmark.
            command_path = f"{info_name} {_BENCHMARK} {named}" if named else info_name
            return command.make_context(command_path, args, parent, **extra)

    return BenchmarkCommand


def _shorten_help(command: Any) -> None:
    """Let the help of the command show the options that most need, in one panel."""
    for parameter in command.params:
        if any(name.startswith("-") for name in parameter.opts):
            parameter.hidden = parameter.name not in _MOST_NEEDED
            parameter.rich_help_panel = None


def settings_app(
    function: Command, has: "Callable[[str, FieldInfo], bool]" = lambda _name, _field: True
) -> typer.Typer:
    """An application of this one command, with the settings that `has` selects."""

    def find_fields(named: str | None) -> "Mapping[str, FieldInfo]":
        from perennial.schemas.settings.refresh import choose_benchmarks
        from perennial.schemas.settings.several import fields_of

        fields = fields_of(choose_benchmarks(named))
        return {name: field for name, field in fields.items() if has(name, field)}

    return benchmark_app(function, find_fields)


def benchmark_app(
    function: Command,
    find_fields: "Callable[[str | None], Mapping[str, FieldInfo]]",
    has_long_help: bool = True,
) -> typer.Typer:
    """An application of one command (see `benchmark_command`)."""
    app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    app.command(cls=benchmark_command(function, find_fields, has_long_help))(
        with_settings(function, {}, has_long_help)
    )
    return app


def _option(name: str, field: "FieldInfo") -> inspect.Parameter:
    from perennial.schemas.settings.form import describe_setting, panel_of

    flag = f"--{name.replace('_', '-')}"
    if field.annotation is bool:
        flag = f"{flag}/{flag.replace('--', '--no-', 1)}"
    details = typer.Option(flag, help=describe_setting(field), rich_help_panel=panel_of(field) or None)
    kind: Any = str if isinstance(field.default, list) else field.annotation
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, details]
    )


def _flag_of(args: Sequence[str]) -> str | None:
    for position, text in enumerate(args):
        if text == _BENCHMARK:
            return args[position + 1] if position + 1 < len(args) else None
        if text.startswith(f"{_BENCHMARK}="):
            return text.removeprefix(f"{_BENCHMARK}=")
    return None
