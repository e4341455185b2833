"""The command line: `perennial`. A command's module is imported when the command is given, not before."""

import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from textwrap import fill
from typing import Annotated, Any

import typer
from typer import TyperException
from typer.core import TyperCommand, TyperGroup

from perennial.flows.console.errors import describe_os_error, describe_usage_error, translate_error
from perennial.flows.console.interrupts import EXIT_CODES
from perennial.flows.console.messages import (
    LogOption,
    QuietOption,
    VerboseOption,
    begin_messages,
    choose_messages,
    is_verbose,
    log,
)
from perennial.flows.console.row_formats import Terminal, escape_what_cannot_be_encoded
from perennial.flows.console.settings_options import format_commands, guard_path, put_example_last
from perennial.flows.process import let_ctrl_c_interrupt
from perennial.schemas.benchmark import CommandLine, benchmarks
from perennial.schemas.errors import PerennialError
from perennial.schemas.rows import JsonObject

_WRONG_USAGE = 2
_REFUSED_BY_THE_SYSTEM = 2
# Where each command is, and its line in the help: the first of its own help.
COMMANDS: dict[str, CommandLine] = {
    "init": (
        "perennial.flows.cli.run.models:init",
        "Write a commented perennial.toml and models.toml: each setting with its description.",
    ),
    "models": ("perennial.flows.cli.run.models:models", "Try the models of models.toml."),
    "try": (
        "perennial.flows.cli.run.models:try_model",
        "Give a model a first score: grow a tiny edition, play it, and say what went wrong.",
    ),
    "refresh": (
        "perennial.flows.cli.run.refresh:refresh_app",
        "Grow one edition, let players answer its questions, audit and publish both.",
    ),
    "evaluate": (
        "perennial.flows.cli.run.refresh:evaluate_app",
        "Let players answer the questions of a published edition, and publish their answers.",
    ),
    "contamination": (
        "perennial.flows.cli.run.contamination:contamination_app",
        "Say whether players do better on an edition's public instances than on its private ones.",
    ),
    "design": (
        "perennial.flows.cli.run.design:design",
        "Say how many domains, instances and runs a question needs, with calls and cost; nothing is played.",
    ),
    "study": (
        "perennial.flows.cli.people:study",
        "Let people play instances of a published edition, and publish their answers.",
    ),
    "play": (
        "perennial.flows.cli.people:play",
        "Play one instance yourself, freshly drawn or of a published edition; nothing is recorded.",
    ),
    "sample": (
        "perennial.flows.cli.run.sample:sample_app",
        "Draw practice questions of a benchmark, none of which an edition of the data root holds.",
    ),
    "train": (
        "perennial.flows.cli.train:train",
        "Fine-tune a model on golden trajectories or practice questions by LoRA (extra `train`).",
    ),
    "query": ("perennial.flows.cli.look.query:query", "Run SQL over the published editions."),
    "ask": (
        "perennial.flows.cli.look.query:ask",
        "Answer a saved question about what is published, and show its SQL.",
    ),
    "episode": (
        "perennial.flows.cli.look.calls:episode",
        "Print an episode whole: what the player was shown, its reasoning and its reply, turn by turn.",
    ),
    "tables": (
        "perennial.flows.cli.look.query:tables",
        "List all tables and views with what they hold, or the columns of one with what they mean.",
    ),
    "editions": (
        "perennial.flows.cli.operate.editions:editions",
        "List the published editions and their evaluations, withdraw, reinstate, reveal or retire one.",
    ),
    "verify": (
        "perennial.flows.cli.operate.verify:verify",
        "Check every file of an edition and its evaluations against their manifests: size, SHA-256, rows.",
    ),
    "report": (
        "perennial.flows.cli.look.report:report",
        "Write the report of an edition: one HTML page that opens offline, or its tables.",
    ),
    "export": (
        "perennial.flows.cli.share:export",
        "Write an edition with its evaluations as a folder for others, its private instances left out.",
    ),
    "site": (
        "perennial.flows.cli.share:site",
        "Build a static website of all visible editions, for any host or for opening from disk.",
    ),
    "reproduce": (
        "perennial.flows.cli.operate.verify:reproduce",
        "Rebuild an edition, or an evaluation, from its seed and its stored replies, and compare.",
    ),
    "reproduce-paper": (
        "perennial.flows.cli.look.report:reproduce_paper",
        "Print each table and figure of a benchmark's paper: what it prints, ours, the difference, "
        "or why not.",
    ),
    "calls": (
        "perennial.flows.cli.look.calls:calls",
        "List the model calls of a data root, newest first, or show one in full.",
    ),
    "doctor": (
        "perennial.flows.cli.operate.doctor:doctor",
        "Check versions, Prefect, model endpoint, root, ledger, and all published and staged data.",
    ),
    "analyse": (
        "perennial.flows.cli.operate.verify:analyse",
        "Compute statistics again: after new external scores, or with a newer perennial.",
    ),
    "audit": (
        "perennial.flows.cli.operate.verify:audit",
        "Audit published tables again; exit code 4 where an expectation no longer holds.",
    ),
    "serve": (
        "perennial.flows.cli.operate.serve:serve",
        "Run refreshes on a schedule until Ctrl-C; analyse and audit on demand.",
    ),
    "web": (
        "perennial.flows.cli.look.web:web",
        "Show a data root in a browser, until Ctrl-C: leaderboards, instances, transcripts, SQL.",
    ),
    "unlock": (
        "perennial.flows.cli.operate.doctor:unlock",
        "Remove the lock of a data root whose writer is gone, after showing who held it.",
    ),
    "benchmarks": (
        "perennial.flows.cli.operate.doctor:list_benchmarks",
        "List the installed benchmarks with their packages, or check one against the contract.",
    ),
    "import": (
        "perennial.flows.cli.share:import_app",
        "Import what others have published: releases of benchmarks, scores of other benchmarks.",
    ),
}
_OWN = {name: line for declaration in benchmarks().values() for name, line in declaration.commands.items()}
COMMANDS |= {name: line[:2] for name, line in _OWN.items()}


class _Commands(Mapping[str, object]):
    """The commands by name, each imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        module, _, function = COMMANDS[name][0].partition(":")
        command = getattr(import_module(module), function)
        if not isinstance(command, typer.Typer):
            alone = typer.Typer(add_completion=False, **_SETTINGS)
            alone.command(name)(command)
            command = alone
        return put_example_last(typer.main.get_command(command))

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _LazyGroup(TyperGroup):
    """Lists commands by their lines of help, and imports the one that is run."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = _Commands()  # type: ignore[assignment]
        for parameter in self.params:
            guard_path(parameter)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names only: no command's module is imported for the list."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A stub with the command's line of help, enough for the list of commands."""
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name][1]) if cmd_name in COMMANDS else None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print all commands by what they are for; the formatter gets nothing, as with typer's own help."""
        listed = format_commands({name: words for name, (_, _, words) in _OWN.items()})
        options = ", ".join(name for parameter in self.get_params(ctx) for name in parameter.opts)
        typer.echo(f"Usage: {ctx.command_path} COMMAND [OPTIONS]\n\n{self.help}\n\n{listed}\n")
        typer.echo(f"{ctx.command_path} COMMAND --help describes a command.")
        typer.echo(f"{fill(f'Options: {options}', 80, subsequent_indent='  ')}\n{self.epilog}")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the named command, and let Ctrl-C interrupt it from here on."""
        name, resolved, rest = super().resolve_command(ctx, args)
        command = resolved if name is None else self.commands[name]
        let_ctrl_c_interrupt()
        return name, command, rest


_SETTINGS: JsonObject = {
    "pretty_exceptions_enable": False,
    "rich_markup_mode": "rich",
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
app = typer.Typer(
    name="perennial",
    cls=_LazyGroup,
    no_args_is_help=True,
    epilog="Example: perennial refresh --domains music_identification --instances 5",
    **_SETTINGS,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"perennial {version('perennial-bench')}")
        raise typer.Exit


@app.callback()
def perennial(
    version_: Annotated[
        bool,
        typer.Option("--version", "-V", is_eager=True, callback=_print_version, help="Show the version."),
    ] = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
    log_file: LogOption = None,
) -> None:
    """Grow fresh reasoning benchmarks for language models and run players on them."""
    choose_messages(quiet, verbose, log_file)


def main() -> None:
    """Run the command line; a user's error is one line on standard error and its own exit code."""
    escape_what_cannot_be_encoded()
    begin_messages()
    errors = Terminal(stderr=True, soft_wrap=True)
    try:
        code = app(standalone_mode=False, prog_name="perennial")
    except PerennialError as error:
        _print_error(errors, error)
        sys.exit(error.exit_code)
    except TyperException as error:
        # A command line that does not parse; without any arguments the help has been shown already.
        named = [name for name in sys.argv[1:2] if name in COMMANDS]
        if text := describe_usage_error(error, " ".join(("perennial", *named))):
            _print_error(errors, text)
        sys.exit(_WRONG_USAGE)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has seen enough.
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        # A full disk, a read-only root: wherever it was met, in a task of Prefect's too.
        _print_error(errors, describe_os_error(error))
        sys.exit(_REFUSED_BY_THE_SYSTEM)
    except Exception as error:
        ours = translate_error(error)
        if ours is None:
            raise
        _print_error(errors, ours)
        sys.exit(ours.exit_code)
    if code in EXIT_CODES:
        # The terminal may be gone.
        with suppress(OSError):
            errors.print("perennial: interrupted; the same command resumes where this one stopped")
        _discard_unwritten_output()
    sys.exit(code if isinstance(code, int) else 0)


def _print_error(errors: Terminal, error: object) -> None:
    if is_verbose():
        traceback.print_exc()
    errors.print(f"perennial: error: {error}")
    log(f"error: {error}")


def _discard_unwritten_output() -> None:
    """Let Python end with our exit code: it has its own, 120, for output that a closed terminal refuses."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
