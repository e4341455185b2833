"""Read how others' programs make messages, as syntax trees: never executed, all else refused.

A method is followed, statement by statement, with slots in the place of what is known only in play: texts,
f-strings and their sums, assigned, extended by `+=`, chosen by `if` and returned.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.text import escape, slots_of

_MAX_TEMPLATE = 100_000
_MAX_DEPTH = 200
NOTHING = object()


def parse_module(text: str, source: str, remedy: str) -> ast.Module:
    """The syntax tree of a module; raise UnreadableInput, with the line, where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is the text's affair
            tree = ast.parse(text)
    except SyntaxError as error:
        raise UnreadableInput(f"{source}, line {error.lineno}: not Python ({error.msg}); {remedy}") from None
    except (RecursionError, MemoryError, ValueError):
        tree = None
    # Readers descend into expressions by recursion.
    if tree is None or _is_deep(tree):
        raise UnreadableInput(
            f"{source}: nested too deeply, or no text, to be read as Python; {remedy}"
        ) from None
    return tree


def _is_deep(tree: ast.Module) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)


class MethodReader:
    """One pass over a method: what its names stand for, as templates or None."""

    def __init__(
        self, source: str, names: Mapping[str, str | None], slots: Mapping[str, str], expected: str
    ) -> None:
        """`slots` are names of slots by the expressions that they stand for; `expected` ends each error."""
        self.source = source
        self.names = dict(names)
        self.slots = slots
        self.expected = expected

    def read_return(self, method: ast.FunctionDef) -> str:
        """The template that the method returns."""
        result = self.run(method.body)
        if not isinstance(result, str):
            raise self.refusal(method, "no text is returned")
        return result

    def run(self, statements: Sequence[ast.stmt]) -> object:
        """Follow the statements; return what the first `return` is given."""
        for statement in statements:
            result = self.step(statement)
            if result is not NOTHING:
                return result
        return NOTHING

    def step(self, statement: ast.stmt) -> object:
        """Follow one statement; return NOTHING where it returns nothing."""
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                return self.run(body if self.holds(test) else orelse)
            case ast.Return(value=ast.expr() as value):
                return self.text(value)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return NOTHING
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.names[name] = self.value(value)
                return NOTHING
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if name in self.names:
                self.names[name] = self.join_parts(statement, self.names[name], self.value(value))
                return NOTHING
        raise self.refusal(statement, f"a statement of kind {type(statement).__name__}")

    def text(self, node: ast.expr) -> str:
        """The template that the expression stands for."""
        value = self.value(node)
        if value is None:
            raise self.refusal(node, "None in the place of a text")
        return value

    def value(self, node: ast.expr) -> str | None:
        """The template that the expression stands for, or None."""
        match node:
            case ast.Constant(value=None):
                return None
            case ast.Constant(value=str(text)):
                return escape(text)
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.join_parts(node, self.value(left), self.value(right))
            case ast.JoinedStr(values=parts):
                return self.join_parts(node, *(self.value(part) for part in parts))
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                slot = self.slots.get(ast.unparse(value))
                return self.text(value) if slot is None else f"{{{slot}}}"
        raise self.refusal(node, f"an expression of kind {type(node).__name__}")

    def join_parts(self, node: ast.AST, *parts: str | None) -> str:
        """The parts as one template, of a length that an honest one has."""
        texts = [part for part in parts if part is not None]
        if len(texts) < len(parts):
            raise self.refusal(node, "None in the place of a text")
        if sum(map(len, texts)) > _MAX_TEMPLATE:
            raise self.refusal(node, f"a message of more than {_MAX_TEMPLATE:,} characters")
        return "".join(texts)

    def holds(self, node: ast.expr) -> bool:
        """Whether a condition on what is known holds."""
        match node:
            case ast.BoolOp(op=ast.And(), values=conditions):
                return all(self.holds(condition) for condition in conditions)
            case ast.BoolOp(op=ast.Or(), values=conditions):
                return any(self.holds(condition) for condition in conditions)
            case ast.UnaryOp(op=ast.Not(), operand=condition):
                return not self.holds(condition)
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as test], comparators=[right]):
                if self.value(right) is None:
                    return (self.value(left) is None) == isinstance(test, ast.Is)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as test], comparators=[right]):
                pair = self.text(left), self.text(right)
                if not any(map(slots_of, pair)):
                    return (pair[0] == pair[1]) == isinstance(test, ast.Eq)
        raise self.refusal(node, "a condition on something else than texts that are known before play")

    def refusal(self, node: ast.AST, what: str) -> UnreadableInput:
        """An error that names the node's line."""
        return UnreadableInput(f"{self.source}, line {getattr(node, 'lineno', 1)}: {what}; {self.expected}")
