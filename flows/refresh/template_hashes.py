"""The hashes of all prompt templates that are installed, for the manifest of an edition."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from prompts.render import template_hash


def template_hashes() -> dict[str, str]:
    """Return the hash of every template that is rendered, by name such as `kumo/player_system.md.j2`."""
    return {name: template_hash(name) for name in sorted(_templates(files("prompts"), ""))}


def _templates(folder: Traversable, prefix: str) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _templates(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".j2"):
            yield prefix + entry.name
