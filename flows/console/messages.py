"""How much a command says: `-q`, `-v` and `--log-file`, before a command or among its options."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from perennial.schemas.errors import InvalidOption, UnreadableInput

QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print results, warnings and errors only, and no progress.")
]
VerboseOption = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print Prefect's own messages, and where an error came from.")
]
LogOption = Annotated[
    str | None,
    typer.Option("--log-file", metavar="FILE", help="Append progress and errors, with times, to this file."),
]


@dataclass
class _Messages:
    quiet: bool = False
    verbose: bool = False
    log: TextIO | None = None


_MESSAGES = _Messages()


def begin_messages() -> None:
    """Go back to what is said by default; close the log file of the command before."""
    if _MESSAGES.log is not None:
        _MESSAGES.log.close()
    _MESSAGES.quiet, _MESSAGES.verbose, _MESSAGES.log = False, False, None


def is_quiet() -> bool:
    """Whether progress is not to be printed."""
    return _MESSAGES.quiet


def is_verbose() -> bool:
    """Whether what Prefect says and tracebacks are to be printed."""
    return _MESSAGES.verbose


def log(text: str) -> None:
    """Write a line into the log file, if there is one."""
    if _MESSAGES.log is not None:
        line = " ".join(text.split("\n"))
        _MESSAGES.log.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC  {line.rstrip()}\n")


def choose_messages(quiet: bool, verbose: bool, log_file: str | None) -> None:
    """Say as much as these options want; what they leave out stays as it is."""
    if (quiet or _MESSAGES.quiet) and (verbose or _MESSAGES.verbose):
        raise InvalidOption("--quiet and --verbose exclude each other: give one of them")
    _MESSAGES.quiet |= quiet
    _MESSAGES.verbose |= verbose
    if log_file is not None:
        try:
            _MESSAGES.log = Path(log_file).open(  # noqa: SIM115  open until the command ends
                "a", encoding="utf-8", errors="backslashreplace", buffering=1
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UnreadableInput(
                f"--log-file {log_file!r}: cannot be written ({reason}); name a file in a folder that exists"
            ) from None


def add_message_options(command: Any) -> None:
    """Give a command of typer's the options of messages, unless it has them."""
    if any(parameter.name == "log_file" for parameter in command.params):
        return
    app = typer.Typer(add_completion=False)

    @app.command()
    def say(quiet: QuietOption = False, verbose: VerboseOption = False, log_file: LogOption = None) -> None:
        """Take the options, which a command itself does not get."""

    for parameter in typer.main.get_command(app).params:
        parameter.expose_value = False
        parameter.callback = _choose
        command.params.append(parameter)


def _choose(_context: Any, parameter: Any, value: Any) -> None:
    if value:
        choose_messages(**{"quiet": False, "verbose": False, "log_file": None, parameter.name: value})
