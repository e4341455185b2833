"""The first gate: code whose syntax tree has what authored code may not use is refused before it runs."""

import ast
from collections.abc import Iterable
from string import Formatter

from tasks.sandbox.guest.names import ALLOWED
from tasks.sandbox.limits import LIMITS, Limits
from tasks.sandbox.refusal import Refused

_FORBIDDEN_NODES: dict[type[ast.AST], str] = {
    ast.ClassDef: "a class",
    ast.Global: "a global statement",
    ast.AsyncFunctionDef: "an async function",
    ast.AsyncFor: "an async loop",
    ast.AsyncWith: "an async context",
    ast.Await: "await",
    ast.With: "a with statement",
    # `__match_args__` of a class pattern reads attributes by a text.
    ast.MatchClass: "a class pattern",
}
_NAMES = """
breakpoint classmethod compile delattr dir eval exec exit getattr globals hash help id input locals
memoryview object open property quit setattr staticmethod super vars
"""
# Attributes that lead from a frame, a generator or a class to what lies behind it.
_ATTRIBUTES = """
ag_await ag_code ag_frame co_code co_consts cr_await cr_code cr_frame cr_origin f_back f_builtins f_code
f_globals f_lineno f_locals f_trace format_map gi_code gi_frame gi_yieldfrom mro tb_frame tb_lasti
tb_lineno tb_next
"""
_FORBIDDEN_NAMES = frozenset(_NAMES.split())
_FORBIDDEN_ATTRIBUTES = frozenset(_ATTRIBUTES.split())


def check_syntax(code: str, limits: Limits = LIMITS) -> ast.Module:
    """Return the code's syntax tree; raise Refused for code that is too large, no Python, or forbidden."""
    try:
        size = len(code.encode())
    except UnicodeEncodeError:
        raise Refused("syntax", "the code has a lone surrogate") from None
    if size > limits.source_bytes:
        raise Refused("too_large", f"{size:,} bytes of code, at most {limits.source_bytes:,} are allowed")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError) as error:
        raise Refused("syntax", f"the code is no Python: {error}") from None
    except (RecursionError, MemoryError):
        raise Refused("too_large", "the code is nested too deeply") from None
    _check_size(tree, limits)
    for node in ast.walk(tree):
        fault = _fault_of(node)
        if fault:
            raise Refused(
                "forbidden", f"line {getattr(node, 'lineno', 1)} uses {fault}, which is not allowed"
            )
    return tree


def _check_size(tree: ast.AST, limits: Limits) -> None:
    count, level = 0, [tree]
    for _ in range(limits.source_depth + 1):
        count += len(level)
        if count > limits.source_nodes:
            raise Refused("too_large", f"more than {limits.source_nodes:,} nodes in the syntax tree")
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise Refused("too_large", f"a syntax tree deeper than {limits.source_depth}")


def _fault_of(node: ast.AST) -> str:
    if type(node) in _FORBIDDEN_NODES:
        return _FORBIDDEN_NODES[type(node)]
    if isinstance(node, ast.Import):
        return _first(_fault_of_module(alias.name, alias.asname) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return _fault_of_import_from(node)
    if isinstance(node, ast.Attribute):
        return _fault_of_attribute(node)
    return _first(_fault_of_name(name) for name in _names(node))


def _first(faults: Iterable[str]) -> str:
    return next(filter(None, faults), "")


def _names(node: ast.AST) -> list[str]:
    """Return the names that a node binds or reads."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.arg | ast.keyword):
        return [node.arg or ""]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name or ""]
    if isinstance(node, ast.MatchMapping):
        return [node.rest or ""]
    return []


def _fault_of_name(name: str) -> str:
    if name.startswith("__") and name != "__name__":
        return f"the name {name}"
    return f"the name {name}" if name in _FORBIDDEN_NAMES else ""


def _fault_of_attribute(node: ast.Attribute) -> str:
    if node.attr.startswith("_") or node.attr in _FORBIDDEN_ATTRIBUTES:
        return f"the attribute {node.attr}"
    if node.attr == "format":
        # A format text can read any attribute by name: only literals without any are allowed.
        if not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, str):
            return "format of something other than a text literal (use an f-string)"
        return _fault_of_format(node.value.value)
    return ""


def _fault_of_format(text: str) -> str:
    try:
        fields = [(field or "") + (spec or "") for _, field, spec, _ in Formatter().parse(text)]
    except ValueError:
        return "a format text that cannot be read"
    return (
        "a format text that reads attributes or items"
        if any(set(".[_") & set(each) for each in fields)
        else ""
    )


def _fault_of_module(name: str, alias: str | None) -> str:
    if name not in ALLOWED:
        return f"module {name} (allowed: {', '.join(ALLOWED)})"
    return _fault_of_name(alias or "")


def _fault_of_import_from(node: ast.ImportFrom) -> str:
    module = node.module or "."
    if node.level or module not in ALLOWED:
        return f"module {module} (allowed: {', '.join(ALLOWED)})"
    for alias in node.names:
        if alias.name not in ALLOWED[module][1]:
            return f"{alias.name} of module {module} (allowed: {', '.join(ALLOWED[module][1])})"
        if fault := _fault_of_name(alias.asname or ""):
            return fault
    return ""
