"""How large the house is: the figures that `house.toml` bounds.

python -m tests.house.measure            # today's figures beside their bounds, and where to look
python -m tests.house.measure --write    # make today's figures the bounds
"""

import argparse
import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx as nx

REPOSITORY = Path(__file__).resolve().parents[2]
BOUNDS = REPOSITORY / "house.toml"
PACKAGES = ("flows", "prompts", "schemas", "tasks", "warehouse")
# None of them says what it holds.
VAGUE_NAMES = {
    *("each", "found", "given", "known", "of", "one", "own", "place", "said", "shown", "told"),
    *("Here", "Received", "Seat", "Tried"),
}
# Sentences that Python writes, and SQL that takes one apart: what it looks for belongs into a column.
_SENTENCE = r"(?:\w+\.)?(?:message|method|subject)"
_TAKEN_APART = re.compile(
    rf"\b(?:regexp_\w+|split_part|string_split|instr|strpos)\(\s*{_SENTENCE}\b"
    rf"|{_SENTENCE}\s+(?:NOT\s+)?(?:I?LIKE|SIMILAR\s+TO)\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A figure, and what contributes to it."""

    figure: float
    parts: Mapping[str, float]

    def describe_parts(self, limit: int = 8) -> str:
        """The largest contributions, such as `tasks/kumo (20000), tasks/knowlogic (15000)`."""
        largest = sorted(self.parts.items(), key=lambda item: (-item[1], item[0]))[:limit]
        return ", ".join(f"{name} ({size:g})" for name, size in largest)


@dataclass(frozen=True, slots=True)
class Module:
    """One file of the product."""

    path: Path
    text: str
    nodes: list[ast.AST]

    @property
    def name(self) -> str:
        """Its name for Python, such as `perennial.flows.kumo`."""
        parts = ("perennial", *self.path.relative_to(REPOSITORY).with_suffix("").parts)
        return ".".join(parts).removesuffix(".__init__")

    @property
    def folder(self) -> str:
        """The part of the product that it belongs to, such as `tasks/kumo`."""
        return "/".join(self.path.relative_to(REPOSITORY).parts[:2])


@cache
def measure() -> dict[str, Measurement]:
    """Measure the files of this clone; each is parsed once."""
    modules = [
        Module(path, text := path.read_text("utf-8"), list(ast.walk(ast.parse(text))))
        for package in PACKAGES
        for path in sorted((REPOSITORY / package).rglob("*.py"))
    ]
    lines = _count((module.folder, module.text.count("\n")) for module in modules)
    comments = _count((module.folder, _count_comments(module)) for module in modules)
    graph = import_graph(modules)
    chain = longest_chain(graph)
    circles = [circle for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    classes = Counter(
        node.name for module in modules for node in module.nodes if isinstance(node, ast.ClassDef)
    )
    return {
        "product_lines": _total(lines),
        "test_lines": _total(_count(_test_lines())),
        "modules": _total(_count((module.folder, 1) for module in modules)),
        "import_lines": _total(_count((module.folder, _count_import_lines(module)) for module in modules)),
        "longest_import_chain": Measurement(len(chain), {" -> ".join(chain): len(chain)}),
        "modules_in_import_circles": _total({", ".join(sorted(circle)): len(circle) for circle in circles}),
        "vague_names": _total(
            Counter(name for module in modules for name in bound_names(module.nodes) if name in VAGUE_NAMES)
        ),
        "shared_class_names": Measurement(
            sum(number > 1 for number in classes.values()),
            {name: number for name, number in classes.items() if number > 1},
        ),
        "sentences_taken_apart": _total(_count(_taken_apart(modules))),
        "comment_percent": Measurement(
            int(10_000 * sum(comments.values()) / sum(lines.values())) / 100, comments
        ),
    }


def bound_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield each name where it is given to something: a variable, a parameter, a function or a class."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def import_graph(modules: Iterable[Module]) -> "nx.DiGraph[str]":
    """Link each module to those that it imports, at its start or later, for types too; readers need them."""
    by_name = {module.name: module for module in modules}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(by_name)
    for name, module in by_name.items():
        for statement in _imports(module):
            for target in _imported_names(statement):
                while target and target not in by_name:
                    target = target.rpartition(".")[0]
                if target and target != name:
                    graph.add_edge(name, target)
    return graph


def longest_chain(graph: "nx.DiGraph[str]") -> list[str]:
    """The longest way down; one module of a circle counts."""
    circles = nx.condensation(graph)
    way = nx.dag_longest_path(circles)
    return [min(circles.nodes[node]["members"]).removeprefix("perennial.") for node in way]


def _imports(module: Module) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in module.nodes if isinstance(node, ast.Import | ast.ImportFrom))


def _imported_names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [f"{statement.module}.{alias.name}" for alias in statement.names]


def _count_import_lines(module: Module) -> int:
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in _imports(module))


def _count_comments(module: Module) -> int:
    """Count lines that are nothing but a comment; those in texts of several lines are none."""
    texts = {
        line
        for node in module.nodes
        if isinstance(node, ast.Constant | ast.JoinedStr) and (node.end_lineno or 0) > node.lineno
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(module.text.splitlines(), 1)
    return sum(line.lstrip().startswith("#") and number not in texts for number, line in lines)


def _taken_apart(modules: Iterable[Module]) -> Iterator[tuple[str, int]]:
    texts = {module.path: module.text for module in modules}
    for package in PACKAGES:
        texts |= {path: path.read_text("utf-8") for path in (REPOSITORY / package).rglob("*.sql")}
    for path, text in texts.items():
        if number := len(_TAKEN_APART.findall(text)):
            yield path.relative_to(REPOSITORY).as_posix(), number


def _test_lines() -> Iterator[tuple[str, int]]:
    for path in (REPOSITORY / "tests").rglob("*.py"):
        folder = "/".join(path.relative_to(REPOSITORY).parts[:2])
        yield folder, path.read_bytes().count(b"\n")


def _count(parts: Iterable[tuple[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for name, number in parts:
        total[name] += number
    return total


def _total(parts: Mapping[str, int]) -> Measurement:
    return Measurement(sum(parts.values()), parts)


def read_bounds() -> dict[str, tuple[str, float]]:
    """Each figure with its side, `at_most` or `at_least`, and its bound."""
    sides = tomllib.loads(BOUNDS.read_text("utf-8"))
    return {name: (side, bound) for side, bounds in sides.items() for name, bound in bounds.items()}


def holds(side: str, bound: float, figure: float) -> bool:
    """Whether the figure keeps to its bound."""
    return figure <= bound if side == "at_most" else figure >= bound


def write_bounds() -> None:
    """Make today's figures the bounds; what else the file says stays."""
    figures = {name: measurement.figure for name, measurement in measure().items()}
    lines = [
        re.sub(r"^(\w+) = [\d.]+", lambda match: f"{match[1]} = {figures[match[1]]:.10g}", line)
        for line in BOUNDS.read_text("utf-8").splitlines()
    ]
    BOUNDS.write_text("\n".join([*lines, ""]), "utf-8")


def main() -> None:
    """Print the figures, or write them."""
    parser = argparse.ArgumentParser(description="The figures that house.toml bounds.")
    parser.add_argument("--write", action="store_true", help="make today's figures the bounds")
    if parser.parse_args().write:
        write_bounds()
    for name, (side, bound) in read_bounds().items():
        measurement = measure()[name]
        end = "" if holds(side, bound, measurement.figure) else "   <- beyond its bound"
        print(f"{name} {measurement.figure:.10g} ({side.replace('_', ' ')} {bound:.10g}){end}")
        print(f"    {measurement.describe_parts()}")


if __name__ == "__main__":
    main()
