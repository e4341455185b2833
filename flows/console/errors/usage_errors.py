"""A command line that does not parse, in the words that bad settings have."""

import re
from collections.abc import Sequence
from typing import Any

from typer import TyperException

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import in_one_line, suggest
from perennial.schemas.rows import JsonObject

_BENCHMARK = "--benchmark"


def describe_usage_error(error: TyperException, command: str) -> str:
    """Return what is wrong and which help says more; "" where the help itself has been shown.

    `command` is the one that was given, in case the error does not say so.
    """
    text = error.format_message()
    context = getattr(error, "ctx", None)
    command = context.command_path if context else command
    if not text:
        return ""
    return f"{_in_words(error, context, in_one_line(text))} (see `{_help_of(error, context, command)}`)"


def _help_of(error: TyperException, context: Any, command: str) -> str:
    """Return the help that describes the option: that of all options, or of a benchmark that has it."""
    parameter = getattr(error, "param", None)
    if type(error).__name__ == "NoSuchOption" and _takes_benchmarks(context):
        owners = _owners(str(getattr(error, "option_name", "")))
        if owners:
            return f"{command.partition(f' {_BENCHMARK}')[0]} {_BENCHMARK} {owners[0]} --help-all"
    return f"{command} --help-all" if getattr(parameter, "hidden", False) else f"{command} --help"


def _takes_benchmarks(context: Any) -> bool:
    return any(_BENCHMARK in one.opts for one in context.command.get_params(context))


def _in_words(error: TyperException, context: Any, text: str) -> str:
    # The kinds of errors are in no public module of typer's.
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "NoSuchOption":
        given = str(getattr(error, "option_name", ""))
        known = [name for one in context.command.get_params(context) for name in one.opts]
        if _takes_benchmarks(context) and (owners := _owners(given)):
            return f"{given}: a setting of {', '.join(owners)}, and not of the benchmark chosen: leave it out"
        return f"{given}: there is no such option{suggest(given, known)}"
    if match := re.match(r"No such command '(.*?)'\.", text):
        known = context.command.list_commands(context)
        return f"{match[1]!r}: there is no such command{suggest(match[1], known)}"
    if kind == "MissingParameter" and parameter is not None:
        return f"{_name(parameter)}: missing"
    if match := re.match(r"Option '(.*)' requires an argument", text):
        return f"{match[1]}: expected a value after it"
    if match := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", text):
        return f"{match[1]}: no such argument is expected"
    if problems := _problems(error):
        from perennial.schemas.settings.form import describe_expectation, redact

        return f"{_name(parameter)} {redact(problems[0]['input'])}: {describe_expectation(problems[0])}"
    return text.rstrip(".")


def _owners(flag: str) -> list[str]:
    """Return the benchmarks that have this flag as a setting of their own."""
    name = flag.lstrip("-").replace("-", "_")
    return [one.name for one in benchmarks().values() if name in one.settings().own_fields()]


def _problems(error: TyperException) -> Sequence[JsonObject]:
    """Return what pydantic found wrong with a value, by which typer reads it."""
    found = getattr(error.__cause__, "errors", None)
    return found() if found is not None and getattr(error, "param", None) is not None else ()


def _name(parameter: Any) -> str:
    """Return an option's long name, or an argument's as the usage line shows it."""
    names = [name for name in parameter.opts if name.startswith("-")]
    return max(names, key=len) if names else str(parameter.metavar or parameter.name).strip("[].").upper()
