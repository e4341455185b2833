"""The hashes of all prompt templates that are installed, for the manifest of an edition."""

from perennial.prompts.render import template_hash, template_names


def template_hashes() -> dict[str, str]:
    """Return the hash of every template that is rendered, by name such as `kumo/players/system.md.j2`."""
    return {name: template_hash(name) for name in template_names()}
