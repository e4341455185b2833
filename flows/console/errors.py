"""Errors of others, in one line of our own."""

import errno
import re
from collections.abc import Sequence
from typing import Any

from typer import TyperException

from perennial.schemas.benchmark import benchmarks
from perennial.schemas.errors import Damaged, PerennialError, causes, in_one_line, suggest
from perennial.schemas.rows import JsonObject

# Errors of libraries that mean something to a user, in one line each; no library is imported for it.
#
# Perennial's own errors come from where they are understood. These come from deep inside of Prefect, or of a
# reader of Parquet files that met a damaged one.

_OF_PREFECT = ("prefect", "httpx", "httpcore", "websockets")
_UNREADABLE = {
    "pyarrow": ("ArrowInvalid", "ArrowSerializationError", "ArrowIOError"),
    "_duckdb": ("InvalidInputException", "IOException", "SerializationException"),
}


def translate_error(error: BaseException) -> PerennialError | None:
    """Turn an error of a library that users can cause into one line of ours; None: it is a bug."""
    library = type(error).__module__.partition(".")[0]
    if library in _OF_PREFECT:
        return PerennialError(
            f"Prefect failed ({_reason(error)}): is its server running, and is there free space on its disk? "
            "What is staged is kept, and the same command resumes (`perennial doctor` says more; the "
            "embedded server's log is .prefect/server.log in the data root)"
        )
    if type(error).__name__ in _UNREADABLE.get(library, ()):
        return Damaged(
            f"a stored file cannot be read ({_reason(error)}): `perennial doctor` names what is damaged and "
            "says what to do"
        )
    return None


def _reason(error: BaseException) -> str:
    lines = (_first_line(cause) for cause in causes(error))
    return next((line for line in lines if line), type(error).__name__)


def _first_line(error: BaseException) -> str:
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return line.partition(" - For more information")[0]


# What the operating system refused, in one line: the file, what is wrong with it, and the way out.

_TOLD = {
    errno.ENOSPC: "the disk is full: free some space, then give the same command again",
    errno.EDQUOT: "your share of the disk is used up: free some space, then give the same command again",
    errno.EFBIG: "the file would be larger than allowed: lift the limit (`ulimit -f`), then try again",
    errno.EROFS: "the file system is read-only: mount it for writing, or name another --root",
    errno.EACCES: "permission is denied: check who may read and write there, or name another --root",
    errno.EPERM: "permission is denied: check who may read and write there, or name another --root",
    errno.EIO: "the disk failed to read or write: check it, then give the same command again",
    errno.ENOENT: "there is no such file or folder: somebody removed it, or its name is wrong",
    errno.EEXIST: "something else of that name is there: move it away, or name another --root",
    errno.ENOTDIR: "a part of the path is a file, expected a folder: move it away, or name another --root",
    errno.EISDIR: "it is a folder, expected a file: move it away, or name another --root",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`), then try again",
    errno.ENOMEM: "the memory is used up: end other programs, or work in smaller pieces, then try again",
}
_NO_SHARED_MEMORY = "several processes need /dev/shm: mount it, or give --workers 1"
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
_REFUSED_BY_NAME = (
    (PermissionError, _TOLD[errno.EACCES]),
    (FileNotFoundError, _TOLD[errno.ENOENT]),
    (TimeoutError, "no answer came in time: check network and service, then give the same command again"),
    (ConnectionError, "no connection: check network and service, then give the same command again"),
)


def describe_os_error(error: OSError) -> str:
    """Describe the error in one line; of a copy that fails to write it names the target."""
    named = error.filename2 if error.errno in _OF_WRITING and error.filename2 else error.filename
    name = named if isinstance(named, str) and named else ""
    phrase = _TOLD.get(error.errno or 0) or next(
        (text for kind, text in _REFUSED_BY_NAME if isinstance(error, kind)), ""
    )
    if not name:  # such as the shared memory of several processes
        phrase = phrase.replace("or name another --root", "or make room in /dev/shm and the temporary folder")
        phrase = _NO_SHARED_MEMORY if error.errno == errno.ENOENT else phrase
    reason = " ".join((error.strerror or str(error) or type(error).__name__).split())
    return f"{name}{': ' if name else ''}{phrase or reason}" + (f" ({reason})" if phrase else "")


# A command line that does not parse, in the words that bad settings have.

_BENCHMARK = "--benchmark"


def describe_usage_error(error: TyperException, command: str) -> str:
    """What is wrong and which help says more; "" if the help itself has been shown.

    `command` is the one that was given, in case the error does not say so.
    """
    text = error.format_message()
    context = getattr(error, "ctx", None)
    command = context.command_path if context else command
    if not text:
        return ""
    return f"{_in_words(error, context, in_one_line(text))} (see `{_help_of(error, context, command)}`)"


def _help_of(error: TyperException, context: Any, command: str) -> str:
    """The command whose help describes the option: with all options, or of the benchmark that has it."""
    parameter = getattr(error, "param", None)
    if type(error).__name__ == "NoSuchOption" and _takes_benchmarks(context):
        owners = _owners(str(getattr(error, "option_name", "")))
        if owners:
            return f"{command.partition(f' {_BENCHMARK}')[0]} {_BENCHMARK} {owners[0]} --help-all"
    return f"{command} --help-all" if getattr(parameter, "hidden", False) else f"{command} --help"


def _takes_benchmarks(context: Any) -> bool:
    return any(_BENCHMARK in parameter.opts for parameter in context.command.get_params(context))


def _in_words(error: TyperException, context: Any, text: str) -> str:
    # The kinds of errors are in no public module of typer's.
    kind, parameter = type(error).__name__, getattr(error, "param", None)
    if kind == "NoSuchOption":
        typed = str(getattr(error, "option_name", ""))
        names = [name for parameter in context.command.get_params(context) for name in parameter.opts]
        if _takes_benchmarks(context) and (owners := _owners(typed)):
            return f"{typed}: a setting of {', '.join(owners)}, and not of the benchmark chosen: leave it out"
        return f"{typed}: there is no such option{suggest(typed, names)}"
    if match := re.match(r"No such command '(.*?)'\.", text):
        names = context.command.list_commands(context)
        return f"{match[1]!r}: there is no such command{suggest(match[1], names)}"
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
    name = flag.lstrip("-").replace("-", "_")
    return [owner.name for owner in benchmarks().values() if name in owner.settings().own_fields()]


def _problems(error: TyperException) -> Sequence[JsonObject]:
    list_errors = getattr(error.__cause__, "errors", None)
    return list_errors() if list_errors is not None and getattr(error, "param", None) is not None else ()


def _name(parameter: Any) -> str:
    """An option's long name, or an argument's as the usage line shows it."""
    names = [name for name in parameter.opts if name.startswith("-")]
    return max(names, key=len) if names else str(parameter.metavar or parameter.name).strip("[].").upper()
