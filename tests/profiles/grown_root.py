"""A data root with a tiny edition of each benchmark, played by models of known weaknesses and by programs."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.flows.made_units import make_edition
from tests.profiles.scripted_models import MODELS
from tests.server.options import ServerOptions
from tests.server.running import running_server

KEY = "sk-scripted-0123456789abcdef"
# The one without a price is `lost`.
PRICES = "".join(
    f'["{model}"]\nprompt_usd_per_million = {place + 1}\ncompletion_usd_per_million = {2 * place + 1}\n'
    for place, model in enumerate(MODELS[:-1])
)
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    "k": {
        "benchmark": "kumo",
        "domains": ["chemical_analysis", "mineral_identification"],
        "settings": ["easy"],
        "instances": 2,
        "players": ["algorithm-3"],
    },
    "b": {
        "benchmark": "beyondbench",
        "tasks": ["addition", "tower_of_hanoi/disks_3", "modular_systems/basic"],
        "instances": 4,
        "runs": 2,
        "players": ["exact"],
    },
    "l": {"benchmark": "knowlogic", "domains": ["nature", "social"], "questions": 3, "players": ["exact"]},
    "a": {"benchmark": "a2rbench", "seeds": 1, "variations": 0, "players": ["search", "identity"]},
}


@contextmanager
def serve_models(folder: Path, entries: str, models: tuple[str, ...] = MODELS) -> Iterator[str]:
    """Serve scripted models and work in the folder, whose models.toml has these entries; yield the URL."""
    options = ServerOptions(keys=(KEY,), models=models, roles="tests.profiles.scripted_models")
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.chdir(folder)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        (folder / "models.toml").write_text(entries)
        yield server.url


def grow_all(folder: Path) -> Path:
    """Publish all editions with one evaluation each; return the data root."""
    root = folder / "data"
    with serve_models(folder, PRICES) as url:
        for edition, flags in EDITIONS.items():
            players = [*flags["players"], *MODELS]
            given = {"runs": 1, **flags, "players": players, "edition": edition, "base_url": url}
            make_edition(root, **given, seed=5)
    return root
