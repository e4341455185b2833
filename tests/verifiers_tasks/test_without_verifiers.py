"""Without the extra `verifiers`, an environment names it in one line."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from perennial.schemas.benchmark import benchmarks
from tests.conftest import REPOSITORY
from tests.flows.foreign_packages import install_beside

PACKAGES = REPOSITORY / "flows/verifiers_tasks/packages"
_IMPORT = """
import json, sys
from pathlib import Path
from openenv.cli.importers.verifiers import VerifiersImporter
folder, imported = Path(sys.argv[1]), VerifiersImporter()
detected = {path.name: imported.detect(path) for path in sorted(folder.iterdir()) if path.is_dir()}
print(json.dumps({name: [item.class_name for item in items] for name, items in detected.items()}))
"""


def test_an_absent_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PACKAGES))
    for name in [
        name for name in sys.modules if name.startswith(("perennial.flows.verifiers_tasks.", "perennial_"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("verifiers", "verifiers.v1"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install -e '\.\[verifiers\]'") as caught:
        importlib.import_module("perennial_kumo")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_importer_of_openenv_detects_each_environment(tmp_path: Path) -> None:
    environment = install_beside(tmp_path / "packages", "openenv==0.10.0", "tomli-w")
    command = [sys.executable, "-c", _IMPORT, str(PACKAGES)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    detected = {
        name: items for name, items in json.loads(done.stdout).items() if name.startswith("perennial_")
    }
    assert detected == {f"perennial_{name}": ["load_environment"] for name in benchmarks() if name != "toy"}
