"""Why the sandbox refused code or gave no output."""

import ast
from collections.abc import Container, Iterable
from dataclasses import dataclass
from string import Formatter
from typing import Literal, get_args

from perennial.tasks.sandbox.guest.names import ATTRIBUTES, BUILTINS, MODULES, REFUSED

# What a worker may use: time, memory, sizes.


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one worker.

    `start_seconds` and `call_seconds` are of wall time, `cpu_seconds` of the worker's whole life;
    `memory_bytes` is its address space; `source_bytes`, `source_nodes` and `source_depth` are of the code;
    `message_bytes` is the size of one request or reply, `message_values` the number of values in a reply,
    `value_depth` the nesting of a value.
    """

    start_seconds: float = 5.0
    call_seconds: float = 2.0
    cpu_seconds: int = 3
    memory_bytes: int = 512 * 1024 * 1024
    source_bytes: int = 64 * 1024
    source_nodes: int = 20_000
    source_depth: int = 150
    message_bytes: int = 2 * 1024 * 1024
    message_values: int = 100_000
    value_depth: int = 20


LIMITS = WorkerLimits()


Reason = Literal[
    "too_large",  # source, input or output is over a limit
    "syntax",  # the code is no Python
    "forbidden",  # the code uses what authored code may not use
    "no_function",  # the code does not define the function
    "raised",  # the code raised an exception
    "time",  # a call or the whole run took too long
    "memory",  # the code needed more memory than it may use
    "value",  # an input or output is no JSON value of the allowed types
    "mutated",  # the function changed its input
    "died",  # the worker ended without a reply
    "protocol",  # what the worker wrote is no reply to the request
    "impure",  # the same input gave different outputs
    "weak_sandbox",  # the machine has only the weakest protection, and the operator did not accept that
]
REASONS: tuple[Reason, ...] = get_args(Reason)


class SandboxRefusal(Exception):
    """The sandbox refused: a named reason, and a line for the author of the code.

    Code may have written the line: what could steer a terminal or hide in a page is an escape in it.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        self.reason: Reason = reason
        self.detail = _escape(detail)
        super().__init__(f"{reason}: {self.detail}")


def _escape(text: str) -> str:
    """Escape line breaks, control characters and marks of direction."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


# The first gate: code that has more than the allow-lists name is refused before it runs, with the line.
#
# The lists are of nodes of the syntax tree (here), of names and of attributes (`guest.names`).

# What a syntax tree may consist of: no classes, no patterns of classes (which read attributes by a text), no
# `with`, nothing asynchronous, no `except*`, no generic functions and types.
_NODE_NAMES = """
Module FunctionDef Return Delete Assign AugAssign AnnAssign For While If Raise Try Assert Import
ImportFrom Nonlocal Expr Pass Break Continue Match match_case MatchValue MatchSingleton MatchSequence
MatchMapping MatchStar MatchAs MatchOr BoolOp And Or NamedExpr BinOp Add Sub Mult MatMult Div Mod Pow
LShift RShift BitOr BitXor BitAnd FloorDiv UnaryOp Invert Not UAdd USub Lambda IfExp Dict Set ListComp
SetComp DictComp GeneratorExp comprehension Yield YieldFrom Compare Eq NotEq Lt LtE Gt GtE Is IsNot In
NotIn Call FormattedValue JoinedStr Constant Attribute Subscript Starred Name List Tuple Slice Load Store
Del ExceptHandler arguments arg keyword alias
"""
_NODES = frozenset(_NODE_NAMES.split())
_IN_WORDS = {
    "ClassDef": "a class",
    "Global": "a global statement",
    "AsyncFunctionDef": "an async function",
    "AsyncFor": "an async loop",
    "AsyncWith": "an async context",
    "Await": "await",
    "With": "a with statement",
    "MatchClass": "a class pattern",
    "TryStar": "except*",
    "TypeAlias": "a type statement",
    "TypeVar": "a type parameter",
}


def check_syntax(code: str, limits: WorkerLimits = LIMITS) -> ast.Module:
    """The code's syntax tree; raise Refused for code that is too large, no Python, or forbidden."""
    try:
        size = len(code.encode())
    except UnicodeEncodeError:
        raise SandboxRefusal("syntax", "the code has a lone surrogate") from None
    # Before parsing, whose memory and time grow with the text.
    if size > limits.source_bytes:
        raise SandboxRefusal(
            "too_large", f"{size:,} bytes of code, at most {limits.source_bytes:,} are allowed"
        )
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError) as error:
        raise SandboxRefusal("syntax", f"the code is no Python: {error}") from None
    # So CPython's parser ends on code that is nested too deeply.
    except (RecursionError, MemoryError):
        raise SandboxRefusal("too_large", "the code is nested too deeply") from None
    _check_size(tree, limits)
    # Bound anywhere is enough: read outside of its scope such a name is only a NameError in the worker.
    bound = {name for node in ast.walk(tree) for name in _bound_names(node)}
    for node in ast.walk(tree):
        fault = _fault_of(node, bound)
        if fault:
            raise SandboxRefusal(
                "forbidden", f"line {getattr(node, 'lineno', 1)} uses {fault}, which is not allowed"
            )
    return tree


def _check_size(tree: ast.AST, limits: WorkerLimits) -> None:
    # A level at a time: a function that calls itself would exhaust Python's stack on what it should refuse.
    count, level = 0, [tree]
    for _ in range(limits.source_depth + 1):
        count += len(level)
        if count > limits.source_nodes:
            raise SandboxRefusal("too_large", f"more than {limits.source_nodes:,} nodes in the syntax tree")
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise SandboxRefusal("too_large", f"a syntax tree deeper than {limits.source_depth}")


def _fault_of(node: ast.AST, bound: Container[str]) -> str:
    kind = type(node).__name__
    if kind not in _NODES:
        return _IN_WORDS.get(kind, kind)
    if isinstance(node, ast.Import):
        return _first(_fault_of_module(alias.name) for alias in node.names) or _fault_of_names(node)
    if isinstance(node, ast.ImportFrom):
        return _fault_of_import_from(node) or _fault_of_names(node)
    if isinstance(node, ast.Attribute):
        return _fault_of_attribute(node)
    if isinstance(node, ast.keyword):
        # The name of another function's parameter: it is bound where that function is defined.
        return f"the name {node.arg}" if (node.arg or "").startswith("__") else ""
    if isinstance(node, ast.Name) and node.id not in bound:
        return "" if node.id in BUILTINS or node.id == "__name__" else f"the name {node.id}"
    return _fault_of_names(node)


def _first(faults: Iterable[str]) -> str:
    return next(filter(None, faults), "")


def _fault_of_names(node: ast.AST) -> str:
    names = (name for name in _bound_names(node) if name in REFUSED or name.startswith("__"))
    return _first(f"the name {name}" for name in names)


def _bound_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name or ""]
    if isinstance(node, ast.MatchMapping):
        return [node.rest or ""]
    if isinstance(node, ast.Nonlocal):
        return node.names
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    return []


def _fault_of_attribute(node: ast.Attribute) -> str:
    if node.attr not in ATTRIBUTES:
        return f"the attribute {node.attr}"
    if not isinstance(node.ctx, ast.Load):
        return f"an assignment to the attribute {node.attr}"
    if node.attr == "format":
        # A format text can read any attribute by name: only literals without any are allowed.
        if not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, str):
            return "format of something other than a text literal (use an f-string)"
        return _fault_of_format(node.value.value)
    return ""


def _fault_of_format(text: str) -> str:
    try:
        # A format spec may hold fields of its own, such as {0:{1.real}}.
        fields = [(field or "") + (spec or "") for _, field, spec, _ in Formatter().parse(text)]
    except ValueError:
        return "a format text that cannot be read"
    return (
        "a format text that reads attributes or items"
        if any(set(".[_") & set(name) for name in fields)
        else ""
    )


def _fault_of_module(name: str) -> str:
    return "" if name in MODULES else f"module {name} (allowed: {', '.join(MODULES)})"


def _fault_of_import_from(node: ast.ImportFrom) -> str:
    module = "." * node.level + (node.module or "")
    names = MODULES.get(module)
    if names is None:
        return _fault_of_module(module)
    wrong = next((alias.name for alias in node.names if alias.name not in names), "")
    return f"{wrong} of module {module} (allowed: {', '.join(sorted(names))})" if wrong else ""
