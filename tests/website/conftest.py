"""A data root with private instances and secret seeds, of two benchmarks, played by models and programs."""

from pathlib import Path
from typing import Any

import pytest

from tests.flows.made_units import make_edition
from tests.profiles.grown_root import EDITIONS, KEY
from tests.profiles.scripted_models import MODELS
from tests.server.options import ServerOptions
from tests.server.running import running_server

SHARE = 0.5


@pytest.fixture(scope="package")
def private_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root; its seeds are not revealed, its editions not retired."""
    folder = tmp_path_factory.mktemp("private")
    options = ServerOptions(keys=(KEY,), models=MODELS, roles="tests.profiles.scripted_models")
    with pytest.MonkeyPatch.context() as patch, running_server(options) as server:
        patch.chdir(folder)
        patch.setenv("PERENNIAL_API_KEY", KEY)
        for edition in ("k", "l"):
            flags: dict[str, Any] = {
                "runs": 1,
                **EDITIONS[edition],
                "edition": edition,
                "base_url": server.url,
            }
            flags["players"] = [*flags["players"], *MODELS[:3]]
            make_edition(folder / "data", **flags, seed=None, private_share=SHARE)
    return folder / "data"
