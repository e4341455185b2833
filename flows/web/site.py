"""What this process serves: the script that Streamlit runs for each visit reads it here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """A data root, and the file of the study that is shown instead of the explorer."""

    root: str
    study: str | None = None


_served: list[Site] = []


def serve_site(site: Site) -> None:
    """Let every visit from now on see this site."""
    _served[:] = [site]


def served_site() -> Site:
    """Return the site that this process serves."""
    return _served[0]
