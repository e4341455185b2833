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


@lru_cache(maxsize=16)
def load_sentences(name: str) -> Mapping[str, Mapping[str, Any]]:
    """The templates of `NAME.toml` by name, in the file's order."""
    text = (files("perennial.prompts.knowlogic") / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
