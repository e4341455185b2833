"""Which Python module holds which domain's configuration: it is in `env/*.py`, read as syntax trees.

A domain is a class under `@registry.register_environment("<Domain>Env")`. Its configuration is the module
that the class itself imports from (`from .data.X import ...` in its body), or else its file does
(`from env.data.X import ...`). Nothing is executed or imported.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator

from warehouse.kumo.release.folders import Folder, read_text
from warehouse.kumo.release.things import ReleaseFile, Skipped

_DATA_FOLDER = "data"
_MAX_BYTES = 1_000_000  # the largest has 4,000
_REGISTER = "register_environment"


def config_modules(env: Folder) -> tuple[dict[str, ReleaseFile | None], list[Skipped]]:
    """Return each registered domain's module (None where none is named or there), and what was skipped."""
    data = env.folder(_DATA_FOLDER)
    modules = {file.path.name: file for file in data.files()} if data is not None else {}
    found: dict[str, ReleaseFile | None] = {}
    skipped: list[Skipped] = []
    for file in env.files():
        if file.path.suffix != ".py":
            continue
        names = _find_registered(file)
        if isinstance(names, Skipped):
            skipped.append(names)
            continue
        for domain, line, sources in names:
            module = modules.get(f"{sources[0]}.py") if len(sources) == 1 else None
            if domain in found:
                skipped.append(Skipped(file.name, line, f"{domain} is registered in another file too"))
                continue
            found[domain] = module
            if module is None:
                skipped.append(Skipped(file.name, line, _no_module(domain, sources)))
    return found, skipped


def is_domain(name: str) -> bool:
    """Whether a name is of a domain's form, such as `MedicalEnv`."""
    return name.isidentifier() and name.endswith("Env")


def _no_module(domain: str, sources: list[str]) -> str:
    if not sources:
        return f"{domain} imports no configuration of its own"
    names = ", ".join(f"env/{_DATA_FOLDER}/{name}.py" for name in sources)
    return f"{domain} has its configuration in {names}, expected one module that is there"


def _find_registered(file: ReleaseFile) -> list[tuple[str, int, list[str]]] | Skipped:
    """Return (domain, line, data modules) of each class that the file registers."""
    text = read_text(file, _MAX_BYTES)
    if isinstance(text, Skipped):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in strings that nobody here reads
            tree = ast.parse(text)
        whole_file = sorted(set(_data_imports(tree.body)))
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        return [
            (domain, node.lineno, sorted(set(_data_imports(ast.walk(node)))) or whole_file)
            for node in classes
            for domain in _domains(node)
        ]
    except SyntaxError as error:
        return Skipped(file.name, error.lineno, f"not Python: {error.msg}")
    except (RecursionError, MemoryError, ValueError):
        return Skipped(file.name, None, "nested too deeply, or no text, to be read as Python")


def _domains(node: ast.ClassDef) -> Iterator[str]:
    for call in node.decorator_list:
        match call:
            case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=str(domain))]):
                if name == _REGISTER and is_domain(domain):
                    yield domain


def _data_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield X of `from env.data.X import ...` and `from .data.X import ...` among the nodes."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            package = "env.data." if node.level == 0 else "data." if node.level == 1 else None
            if package is not None and node.module.startswith(package):
                yield node.module.removeprefix(package)
