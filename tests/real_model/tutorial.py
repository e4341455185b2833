"""The commands of docs/tutorial.md; `python -m tests.real_model.tutorial` draws its pictures."""

import os
import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from tests.conftest import REPOSITORY
from tests.flows.prefect_harness import Harness, clean_environment
from tests.real_model.server import real_server

PAGE = (REPOSITORY / "docs/tutorial.md").read_text("utf-8")
IMAGES = REPOSITORY / "docs/images"
COLUMNS = 80


def run_tutorial(folder: Path, url: str, harness: Harness) -> dict[str, str]:
    """What each command of the page printed, by its command."""
    terminal = harness.but(COLUMNS=str(COLUMNS))
    printed: dict[str, str] = {}
    for command in re.findall(r"^    perennial (.+)$", PAGE, re.MULTILINE):
        arguments = shlex.split(command)
        if arguments[0] == "episode":
            arguments[1] = re.findall(r"perennial episode (\w+)", printed["try"])[0]
        done = terminal.perennial(*arguments, "-q", cwd=folder, timeout=900)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        printed[arguments[0]] = done.stdout
        if arguments[0] == "init":
            (entries,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
            (folder / "models.toml").write_text(re.sub(r"http\S+(?=\")", url, entries))
    return printed


def _draw(name: str, command: str, text: str) -> None:
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, highlight=False)
        console.print(f"[bold]$ perennial {command}[/bold]")
        console.print(text.strip(), markup=False)
        file = IMAGES / f"tutorial_{name}.svg"
        console.save_svg(str(file), title="perennial", theme=MONOKAI, unique_id=name)


def main() -> None:
    """Draw the terminal after three of the commands, and the report as a browser shows it."""
    with tempfile.TemporaryDirectory() as place, real_server() as url:
        printed = run_tutorial(Path(place), url, Harness(clean_environment()))
        score = printed["try"]
        _draw("try", "try short --benchmark beyondbench", score[score.index("short on ") :])
        _draw("reasons", 'query "SELECT player, reason, sum(episodes) ... FROM losses ..."', printed["query"])
        _draw("episode", "episode ...", printed["episode"].partition("turn 1: shown")[2].partition("\n")[2])
        (report,) = Path(place).glob("reports/*.html")
        command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1000,900"]
        subprocess.run([*command, f"--screenshot={IMAGES}/tutorial_report.png", report.as_uri()], check=True)


if __name__ == "__main__":
    main()
