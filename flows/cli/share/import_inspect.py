"""`perennial import inspect`: what models answered as tasks of Inspect, as an evaluation of the edition."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console import progress
from perennial.flows.console.root_option import RootOption, data_root
from perennial.flows.console.terminal import Terminal, json_text
from perennial.schemas.errors import InvalidOption, count


def import_inspect(
    logs: Annotated[list[Path], typer.Argument(help="Logs of Inspect (*.eval, *.json), or folders of them.")],
    name: Annotated[str, typer.Option(help="Name of the evaluation. Default: the next number.")] = "",
    root: RootOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
) -> None:
    """Import logs of `inspect eval perennial/NAME` as an evaluation of the edition that was played.

    Each reply is graded again by the benchmark's own game; a log with another grade is refused. Players are
    called as Inspect calls models, such as openai/gpt-4.1-mini; an epoch is a run. Importing the same logs
    twice changes nothing. Needs the extra `inspect`.

    Example: perennial import inspect logs/
    """
    store = data_root(root)
    try:
        import inspect_ai  # noqa: F401
    except ImportError:
        raise InvalidOption(
            "import inspect needs a package that is not installed: pip install 'perennial-bench[inspect]'"
        ) from None
    from perennial.flows.inspect_tasks.import_logs import import_logs

    console = Terminal(soft_wrap=True, stderr=as_json)
    with progress.show_on(console):
        done = import_logs(store, logs, name, console.print)
    if not done.is_new:
        console.print(f"evaluation {done.unit} was imported from the same logs before: nothing to do")
    else:
        console.print(
            f"published {done.unit}: {count(done.episodes, 'episode')} of {', '.join(done.players)}, each "
            "graded again"
        )
    if as_json:
        sys.stdout.write(json_text({**asdict(done), "players": list(done.players)}) + "\n")
    console.print("next: perennial report")
