"""The command line: `perennial`. Commands that only read never import Prefect."""

import sys
from contextlib import suppress

import typer
from typer import TyperException

from flows.cli.analyse import analyse
from flows.cli.calls import calls
from flows.cli.doctor import doctor
from flows.cli.editions import editions
from flows.cli.evaluate import evaluate, is_for_play
from flows.cli.import_edition import import_app
from flows.cli.query import query
from flows.cli.refresh import refresh
from flows.cli.report import report
from flows.cli.reproduce import reproduce
from flows.cli.serve import serve
from flows.cli.unlock import unlock
from flows.cli.verify import audit, verify
from flows.console.interrupts import EXIT_CODES
from flows.console.library_errors import as_ours
from flows.console.os_errors import told_of
from flows.console.settings_options import settings_command, with_settings
from flows.console.terminal import Terminal, escape_what_cannot_be_encoded
from schemas.benchmark import benchmarks
from schemas.errors import PerennialError

_WRONG_USAGE = 2
_REFUSED_BY_THE_SYSTEM = 2

app = typer.Typer(
    name="perennial",
    help="Grow fresh reasoning benchmarks for language models and run players on them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=settings_command(refresh))(with_settings(refresh, {}))
app.command(cls=settings_command(evaluate, is_for_play))(with_settings(evaluate, {}))
app.command()(query)
app.command()(editions)
app.command()(verify)
app.command()(report)
app.command()(reproduce)
app.command()(calls)
app.command()(doctor)
app.command()(analyse)
app.command()(audit)
app.command()(serve)
app.add_typer(import_app, name="import")
for benchmark in benchmarks().values():
    if benchmark.commands is not None:
        benchmark.commands(app, import_app)
app.command()(unlock)


def main() -> None:
    """Run the command line; a user's error is one line on standard error and its own exit code."""
    escape_what_cannot_be_encoded()
    errors = Terminal(stderr=True, soft_wrap=True)
    try:
        code = app(standalone_mode=False)
    except PerennialError as error:
        errors.print(f"perennial: error: {error}")
        sys.exit(error.exit_code)
    except TyperException as error:
        # A command line that does not parse; without any arguments the help has been shown already.
        if error.format_message():
            errors.print(
                f"perennial: error: {_with_full_stop(error.format_message())} See `perennial --help`."
            )
        sys.exit(_WRONG_USAGE)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has seen enough.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # A full disk, a read-only root: wherever it was met, in a task of Prefect's too.
        errors.print(f"perennial: error: {told_of(error)}")
        sys.exit(_REFUSED_BY_THE_SYSTEM)
    except Exception as error:
        ours = as_ours(error)
        if ours is None:
            raise
        errors.print(f"perennial: error: {ours}")
        sys.exit(ours.exit_code)
    if code in EXIT_CODES:
        # The terminal may be gone.
        with suppress(OSError):
            errors.print("perennial: interrupted; the same command resumes where this one stopped")
    sys.exit(code if isinstance(code, int) else 0)


def _with_full_stop(text: str) -> str:
    line = " ".join(text.split())
    return line if line.endswith((".", "?")) else f"{line}."


if __name__ == "__main__":
    main()
