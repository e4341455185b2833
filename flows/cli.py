"""The command line: `perennial`. Commands that only read never import Prefect."""

import sys

import typer
from rich.console import Console

from flows.cli_domains import domains
from flows.cli_query import editions, query
from flows.cli_refresh import refresh
from flows.cli_sample import sample
from flows.cli_solve import solve
from schemas.errors import PerennialError

_INTERRUPTED = 130

app = typer.Typer(
    name="perennial",
    help="Grow fresh reasoning benchmarks for language models and run players on them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(refresh)
app.command()(query)
app.command()(editions)
app.add_typer(domains, name="domains")
app.command()(sample)
app.command()(solve)


def main() -> None:
    """Run the command line; a user's error is one line on standard error and its own exit code."""
    errors = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    try:
        app()
    except PerennialError as error:
        errors.print(f"perennial: error: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        errors.print("perennial: interrupted; the same command goes on where this one stopped")
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has seen enough.
        sys.stderr.close()
        sys.exit(0)


if __name__ == "__main__":
    main()
