"""Measures of items and of wrong answers: code, regularity of inputs, diversity."""

import ast
import gzip
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log2
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import ratio

from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.catalogue import FORWARD, Value

# Measures of a rule's code by its syntax tree (section 4.4 of the paper, which gives names alone).
#
# Ours are of `transform_grid` with all that is nested in it. They differ from the authors' program where that
# misses something: `while` loops and comprehensions are loops, arithmetic is looked for at any depth, every
# `return` counts, and in-place changes include augmented assignments, `del` and mutating methods.

_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BRANCHES = (ast.If, ast.IfExp)
_DECISIONS = (*_LOOPS, *_BRANCHES, ast.ExceptHandler, ast.match_case)
_MUTATING = frozenset(
    (
        *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort", "add", "discard"),
        *("update", "setdefault", "popitem", "appendleft", "popleft", "extendleft", "rotate"),
    )
)


@dataclass(frozen=True, slots=True)
class Measures:
    """Of the forward function: depth of loops, branches and their depth, complexity, changes in place.

    - `max_loop_depth`: loops and comprehension clauses around each other.
    - `total_ifs`: `if`, `elif`, conditional expressions and conditions of comprehensions.
    - `max_if_depth`: `if` statements and conditional expressions inside each other; `elif` adds no depth.
    - `max_complexity`: most decisions of one function plus one (cyclomatic complexity).
    - `mutability`: assignments to an item or attribute, `del` of one, and calls of mutating methods.
    - `return_complexity`: sum over `return` of the decisions in its value plus one.
    """

    max_loop_depth: int
    total_ifs: int
    max_if_depth: int
    max_complexity: int
    mutability: int
    return_complexity: int


def measure_code(code: str) -> Measures:
    """Return the measures; raise ValueError where the code does not define the forward function."""
    functions_named = [
        node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef) and node.name == FORWARD
    ]
    if not functions_named:
        raise ValueError(f"the code does not define {FORWARD}")
    function = functions_named[-1]
    nodes = list(ast.walk(function))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.Lambda)]
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    return Measures(
        max_loop_depth=_loop_depth(function),
        total_ifs=sum(_conditions(node) for node in nodes),
        max_if_depth=_if_depth(function),
        max_complexity=max(1 + _decisions(function) for function in functions),
        mutability=sum(_changes(node) for node in nodes),
        return_complexity=sum(1 + (_decisions(value) if value else 0) for value in returned),
    )


def _loop_depth(node: ast.AST) -> int:
    below = max((_loop_depth(child) for child in ast.iter_child_nodes(node)), default=0)
    if isinstance(node, ast.For | ast.While):
        return 1 + below
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return len(node.generators) + below
    return below


def _conditions(node: ast.AST) -> int:
    return len(node.ifs) if isinstance(node, ast.comprehension) else int(isinstance(node, _BRANCHES))


def _if_depth(node: ast.AST) -> int:
    below = 0
    for child in ast.iter_child_nodes(node):
        chained = isinstance(node, ast.If) and node.orelse == [child] and isinstance(child, ast.If)
        below = max(below, _if_depth(child) - chained)
    return below + isinstance(node, _BRANCHES)


def _decisions(node: ast.AST) -> int:
    """Return the decisions of a function or expression, without those of functions inside it."""
    if isinstance(node, ast.BoolOp):
        here = len(node.values) - 1
    else:
        here = _conditions(node) if isinstance(node, ast.comprehension) else int(isinstance(node, _DECISIONS))
    below = (
        child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.FunctionDef | ast.Lambda)
    )
    return here + sum(map(_decisions, below))


def _changes(node: ast.AST) -> int:
    if isinstance(node, ast.Assign | ast.Delete):
        return sum(_is_part(target) for target in node.targets)
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return int(_is_part(node.target))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return int(node.func.attr in _MUTATING)
    return 0


def _is_part(target: ast.AST) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_is_part(target_part) for target_part in target.elts)
    return isinstance(target, ast.Subscript | ast.Attribute)


# How regular inputs are: compressed over original size (section 4.4; above 1 for short texts).


class Compression(NamedTuple):
    """Ratios of compressed to original bytes: of gzip with its header, and of deflate alone."""

    gzip: float
    deflate: float


def compression_of(inputs: Sequence[Value]) -> Compression:
    """Return the ratios of the inputs as JSON text; higher is less regular."""
    text = canonical_json(list(inputs)).encode()
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    deflated = len(compressor.compress(text)) + len(compressor.flush())
    return Compression(len(gzip.compress(text, 9, mtime=0)) / len(text), deflated / len(text))


# How different the wrong answers to an item are (section 4.4 of the paper, and the authors' program).


class Diversity(NamedTuple):
    """Of wrong answers: how many differ, entropy of their distribution in bits, and two mean distances.

    `to_truth` is the mean edit distance of an answer to the truth (the paper's words), `to_each_other` the
    mean of 100 - ratio over pairs of distinct answers (the authors' program); None without any.
    """

    distinct: int
    entropy: float
    to_truth: float | None
    to_each_other: float | None


def diversity_of(wrong: Sequence[str], truth: str) -> Diversity:
    """Return the diversity of wrong answers, as texts, of one item or variation."""
    counts = Counter(wrong)
    total = len(wrong)
    entropy = -sum(count / total * log2(count / total) for count in counts.values()) + 0.0
    pairs = [100 - ratio(first, other) for first, other in combinations(sorted(counts), 2)]
    distances = [Levenshtein.distance(answer, truth) for answer in wrong]
    return Diversity(
        len(counts),
        entropy,
        sum(distances) / total if total else None,
        sum(pairs) / len(pairs) if pairs else None,
    )
