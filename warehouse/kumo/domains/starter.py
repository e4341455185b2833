"""The starter files of a new domain: a small example that builds, with comments that explain it."""

import json
from importlib.resources import files
from string import Template

from perennial.schemas.kumo.things import CATEGORIES


def starter_facts() -> str:
    """Return the table of facts that a new domain begins with."""
    return _read("starter_facts.csv")


def starter_actions(name: str, category: str) -> str:
    """Return the TOML that a new domain of this name begins with."""
    title = name.replace("_", " ").replace("-", " ").title()
    return Template(_read("starter_actions.toml")).substitute(
        title=_quote(title),
        category=_quote(category),
        book_title=_quote(f"A Guide to {title}"),
        categories=", ".join(CATEGORIES),
    )


def _read(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _quote(text: str) -> str:
    """The text as a TOML string: JSON's form of one is TOML's too."""
    return json.dumps(text, ensure_ascii=False)
