"""The workflow of GitHub Actions that `perennial init --github` writes."""

import hashlib
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from perennial.schemas.errors import InvalidOption, quote
from perennial.schemas.settings.model_entry import ModelEntry

WORKFLOW = Path(".github/workflows/perennial.yml")
RELEASE = "release"
_TEMPLATE = Path(__file__).with_name("github.yml.j2")
_PACKAGE = "perennial-bench"
_WHEEL = re.compile(r"perennial_bench-[A-Za-z0-9._+-]+\.whl")
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


def github_workflow(keep: str, models: Iterable[ModelEntry], install: list[str]) -> str:
    """Return the workflow's YAML. `keep` is "release", or an S3 URL below which root and ledger are kept.
    `install` are the lines of `install_lines`.
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
        install=install,
        root_secrets=root_secrets,
        about=_SECRETS,
        keys=keys,
    )


def install_lines(keep: str, folder: Path, wheel: Path | None) -> list[str]:
    """Choose the shell's lines that install perennial: a wheel by its hash, else the clone `folder`.

    Never by its name, under which anyone could offer a package that would then run with the keys of models.
    """
    extra = "" if keep == RELEASE else "[s3]"
    if wheel is None:
        if not _is_clone(folder):
            raise InvalidOption(
                f"--github: {folder} is not perennial's clone, and perennial is on no package index: build a "
                f"wheel in the clone (`pip wheel --no-deps .`), copy it into {folder} and name it by --wheel"
            )
        return [f"pip install '.{extra}'"]
    name = wheel.name
    if not _WHEEL.fullmatch(name) or wheel.resolve().parent != folder.resolve():
        raise InvalidOption(
            f"--wheel {quote(str(wheel))}: expected a perennial_bench-VERSION.whl in {folder}"
        )
    try:
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    except OSError as error:
        raise InvalidOption(f"--wheel {quote(str(wheel))}: cannot be read ({error.strerror})") from None
    return [f"echo '{digest}  {name}' | sha256sum --check --strict", f"pip install './{name}{extra}'"]


def _is_clone(folder: Path) -> bool:
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    except (OSError, ValueError):
        return False
    return isinstance(project, dict) and project.get("name") == _PACKAGE
