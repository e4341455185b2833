"""The sentence templates of KnowLogic: `NAME.toml` of this folder, a table a template.

Each template has a pattern in each language (`zh`, `en`) with places `{name:kind}`: the kind names the
part of the domain's lexicon that fills it. Other keys say what the sentence means
and belong to the domain.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from perennial.prompts.render import template_hash
from perennial.schemas.ids import content_id

_FOLDER = "perennial.prompts.knowlogic"


@lru_cache(maxsize=4)
def prompt_hash(template: str) -> str:
    """The content id of the template of a prompt together with all sentences that it may be filled with."""
    names = sorted(entry.name for entry in files(_FOLDER).iterdir() if entry.name.endswith(".toml"))
    sentences = [(files(_FOLDER) / name).read_text(encoding="utf-8") for name in names]
    return content_id("tpl", template_hash(template), dict(zip(names, sentences, strict=True)))


@lru_cache(maxsize=16)
def load_sentences(name: str) -> Mapping[str, Mapping[str, Any]]:
    """The templates of `NAME.toml` by name, in the file's order."""
    text = (files(_FOLDER) / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
