"""What the product imports, it declares: what only another library brings may go with its next version."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests.conftest import REPOSITORY

FOLDERS = ("flows", "prompts", "schemas", "tasks", "warehouse")


def _imported() -> dict[str, str]:
    """The modules of others that the product imports, now or later, each with a file that does."""
    modules = {}
    for file in (file for folder in FOLDERS for file in (REPOSITORY / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            modules.update({name.partition(".")[0]: str(file) for name in names})
    return {
        name: file for name, file in modules.items() if name not in {*sys.stdlib_module_names, "perennial"}
    }


def test_every_library_that_is_imported_is_declared() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    declared = {re.split(r"[^\w.-]", line)[0].lower().replace("_", "-") for line in lines}
    owners = packages_distributions()
    missing = {
        module: file
        for module, file in _imported().items()
        if declared.isdisjoint(name.lower().replace("_", "-") for name in owners.get(module, [module]))
    }
    assert not missing
