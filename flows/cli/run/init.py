"""`perennial init`: write the files of settings, and a workflow of GitHub Actions."""

import os
from pathlib import Path
from typing import Annotated

import typer

from perennial.flows.console.terminal import Terminal
from perennial.schemas.errors import InvalidOption, UnreadableInput


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.")] = Path(),
    github: Annotated[
        bool,
        typer.Option(
            "--github",
            help="Write a workflow of GitHub Actions too: each month it refreshes, evaluates the models of "
            "models.toml, and publishes a website.",
        ),
    ] = False,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Where that workflow keeps the data root: release (encrypted, in releases of the "
            "repository) or s3://BUCKET/PREFIX. Default: release."
        ),
    ] = None,
) -> None:
    """Write a commented perennial.toml and models.toml: each setting with its description.

    Existing files are kept.

    Example: perennial init --github
    """
    from perennial.flows.models.starter_files import models_file, settings_file
    from perennial.flows.schedule.github import RELEASE, WORKFLOW, check_keep, github_workflow, secrets_of
    from perennial.schemas.benchmark import DEFAULT_BENCHMARK, find_declaration
    from perennial.schemas.settings.models import MODELS_FILE, load_models
    from perennial.schemas.settings.refresh import SETTINGS_FILE

    if keep is not None and not github:
        raise InvalidOption(f"--keep {keep}: it says where the workflow of --github keeps the data root")
    place = check_keep(keep or RELEASE)
    console = Terminal(soft_wrap=True)
    _write(folder / SETTINGS_FILE, settings_file(find_declaration(DEFAULT_BENCHMARK)), console)
    _write(folder / MODELS_FILE, models_file(), console)
    if not github:
        return
    models = load_models(str(folder / MODELS_FILE)).values()
    if _write(folder / WORKFLOW, github_workflow(place, models, folder), console):
        needed, keys = secrets_of(place, models)
        console.print(
            f"next:      set the repository's secrets {', '.join(needed)}, and of {', '.join(keys)} those"
        )
        console.print(
            "           that your models need; choose GitHub Actions as the source of Pages; commit and push"
        )
    if not (folder / ".git").exists():
        console.print(f"note: GitHub runs workflows of a repository's top folder, and {folder} has no .git")


def _write(path: Path, text: str, console: Terminal) -> bool:
    """Write a file, and say so; keep one that is there. Whether it is written."""
    if os.path.lexists(path):
        console.print(f"{path} is there already, and was kept")
        return False
    try:
        if path.parent.parent.name == ".github":
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UnreadableInput(
            f"{path}: cannot be written ({error.strerror}); name a folder that exists and can be written"
        ) from None
    console.print(f"{path} is written")
    return True
