"""The workflow of GitHub Actions that `perennial init --github` writes."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from perennial.flows.run.code_version import code_version
from perennial.schemas.errors import InvalidOption, quote
from perennial.schemas.settings.model_entry import ModelEntry

WORKFLOW = Path(".github/workflows/perennial.yml")
RELEASE = "release"
_TEMPLATE = Path(__file__).with_name("github.yml.j2")
_PACKAGE = "perennial-bench"
_BUCKET = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9._=-]+)*")
# What any server may need; an own variable of a model is added to them.
_KEYS = ("PERENNIAL_API_KEY", "OPENAI_API_KEY")
_SECRETS = {
    "ROOT_PASSPHRASE": "any long text, which encrypts the data root (anyone can read public releases)",
    "AWS_ACCESS_KEY_ID": "of a user who may list, read, write and delete in the bucket",
    "AWS_SECRET_ACCESS_KEY": "its secret",
}


def check_keep(keep: str) -> str:
    """Return where the data root is kept, without a closing slash; raise InvalidOption for no such place."""
    target = keep.rstrip("/")
    if target != RELEASE and not _BUCKET.fullmatch(target):
        raise InvalidOption(f"--keep {quote(keep)}: expected {RELEASE}, or s3://BUCKET/PREFIX")
    return target


def secrets_of(keep: str, models: Iterable[ModelEntry]) -> tuple[list[str], list[str]]:
    """Return the names of the secrets that the workflow reads: those of the root, and the keys of models."""
    of_models = (name for entry in models for name in entry.variables())
    of_root = [name for name in _SECRETS if name.startswith("AWS_") == (keep != RELEASE)]
    return of_root, list(dict.fromkeys((*_KEYS, *of_models)))


def github_workflow(keep: str, models: Iterable[ModelEntry], folder: Path) -> str:
    """Return the workflow's YAML. `keep` is "release", or an S3 URL below which root and ledger are kept.

    In a clone of perennial's own repository it installs that clone, elsewhere this version of the package.
    """
    from jinja2 import Environment, StrictUndefined

    # Workflows have braces of their own.
    environment = Environment(
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[=",
        variable_end_string="=]",
        comment_start_string="[#",
        comment_end_string="#]",
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    bucket = "" if keep == RELEASE else keep
    root_secrets, keys = secrets_of(keep, models)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        bucket=f"{bucket}/ledgers" if bucket else "",
        root=f"{bucket}/data" if bucket else "data",
        where=f"in {bucket}" if bucket else "encrypted, in releases of this repository",
        package=_choose_package(folder, "[s3]" if bucket else ""),
        root_secrets=root_secrets,
        about=_SECRETS,
        keys=keys,
    )


def _choose_package(folder: Path, extra: str) -> str:
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        project = {}
    return f".{extra}" if project.get("name") == _PACKAGE else f"{_PACKAGE}{extra}=={code_version()}"
