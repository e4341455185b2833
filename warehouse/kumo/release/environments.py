"""Which Python module holds which domain's configuration: it is in `env/*.py`, read as syntax trees.

A domain is a class under `@registry.register_environment("<Domain>Env")`. Its configuration is the module
that the class itself imports from (`from .data.X import ...` in its body), or else its file does
(`from env.data.X import ...`). Nothing is executed or imported.
"""

import ast
import warnings
from collections.abc import Iterable, Iterator

from perennial.warehouse.kumo.release.files import ReleaseFile, Skipped, read_text

_MAX_BYTES = 1_000_000  # the largest has 4,000


def config_modules(
    environments: Iterable[ReleaseFile], modules: Iterable[ReleaseFile]
) -> tuple[dict[str, ReleaseFile], list[Skipped]]:
    """Return each registered domain's module, and what was skipped: domains without one module too."""
    by_name = {file.path.stem: file for file in modules}
    found: dict[str, ReleaseFile] = {}
    skipped: list[Skipped] = []
    for file in environments:
        names = _find_registered(file)
        if isinstance(names, Skipped):
            skipped.append(names)
            continue
        for domain, line, sources in names:
            module = by_name.get(sources[0]) if len(sources) == 1 else None
            if domain in found:
                skipped.append(Skipped(file.name, line, f"{domain} is registered in another file too"))
            elif module is None:
                skipped.append(Skipped(file.name, line, _describe_sources(domain, sources)))
            else:
                found[domain] = module
    return found, skipped


def _describe_sources(domain: str, sources: list[str]) -> str:
    if not sources:
        return f"{domain} imports no configuration of its own"
    names = ", ".join(f"env/data/{name}.py" for name in sources)
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
        return [
            (domain, node.lineno, sorted(set(_data_imports(ast.walk(node)))) or whole_file)
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            for domain in _domains(node)
        ]
    except SyntaxError as error:
        return Skipped(file.name, error.lineno, f"not Python: {error.msg}")
    except (RecursionError, MemoryError, ValueError):
        return Skipped(file.name, None, "nested too deeply, or no text, to be read as Python")


def _domains(node: ast.ClassDef) -> Iterator[str]:
    for call in node.decorator_list:
        match call:
            case ast.Call(
                func=ast.Attribute(attr="register_environment"), args=[ast.Constant(value=str(domain))]
            ) if domain.isidentifier() and domain.endswith("Env"):
                yield domain


def _data_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield X of `from env.data.X import ...` and `from .data.X import ...` among the nodes."""
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(module), level=level) if level < 2:
                package = "data." if level else "env.data."
                if module.startswith(package):
                    yield module.removeprefix(package)
