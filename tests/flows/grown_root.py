"""A data root with a published edition and one that is all staged, or its first evaluation: made in seconds,
without Prefect.
"""

import hashlib
from pathlib import Path
from typing import Any

from perennial.flows.refresh.plan import prepare_refresh
from perennial.flows.refresh.publish import audit_and_publish
from perennial.flows.run.plain_stages import PlainStages
from perennial.flows.stages.grow import grow
from perennial.flows.stages.workspace import Policies, open_workspace
from perennial.schemas.settings import RefreshSettings, load_settings
from perennial.warehouse.catalog.confinement import row_file
from perennial.warehouse.staging import Staging
from perennial.warehouse.store.store import Store

SETTINGS = {
    "domains": ["chemical_analysis"],
    "settings": ["easy"],
    "instances": 2,
    "players": ["algorithm-3"],
    "seed": 0,
    "edition": "next",
}
ANSWERS = "next@1"
# The same on the command line.
REFRESH = (
    *("refresh", "--domains", "chemical_analysis", "--settings", "easy", "--instances", "2"),
    *("--players", "algorithm-3", "--edition", "next", "--seed", "0"),
)


def settings_of(root: Path, **changed: Any) -> RefreshSettings:
    """Return the settings of edition `next` in that root."""
    return load_settings({**SETTINGS, "root": str(root), **changed})


def grow_next(settings: RefreshSettings) -> Policies:
    """Stage all of edition `next` that is not staged yet; return how it was done."""
    store = Store(settings.root)
    prepared = prepare_refresh(settings, store)
    if not prepared.resumed:
        Staging(store, "next").write_plan(prepared.plan.growth)
    policies = Policies.read(settings, prepared.part.inputs)
    grow(open_workspace(settings.root, "next"), policies, PlainStages())
    return policies


def grow_answers(settings: RefreshSettings) -> Policies:
    """Publish edition `next`, if it is not yet, and stage all of its first evaluation that is not staged yet.

    Return how it was done.
    """
    store = Store(settings.root)
    if not store.exists(row_file("next")):
        grow_next(settings)
        audit_and_publish(settings.root, "next")
        Staging(store, "next").remove()
    prepared = prepare_refresh(settings, store)
    staging = Staging(store, ANSWERS)
    if staging.read_plan() is None:
        staging.write_plan(prepared.plan.evaluation)
    policies = Policies.read(settings, prepared.part.inputs)
    grow(open_workspace(settings.root, ANSWERS), policies, PlainStages())
    return policies


def digests(root: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a data root by its name, Prefect's own aside."""
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".prefect" not in path.parts
    }


def published_digests(root: Path) -> dict[str, str]:
    """Return the SHA-256 of every published file by its name."""
    return {name: sha for name, sha in digests(root).items() if name.startswith(("tables/", "manifests/"))}


def cut(file: Path) -> None:
    """Take the last bytes of a file away."""
    file.write_bytes(file.read_bytes()[:-9])


def flip(file: Path) -> None:
    """Change one bit in the middle of a file."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
