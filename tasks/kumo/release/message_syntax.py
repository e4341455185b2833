"""Read how the KUMO authors' programs make messages, as syntax trees: never executed, all else refused.

Two methods are followed, statement by statement, with slots in the place of what is known only in play:

- `get_system_prompt(self, book, agent_type)` of an environment: texts, f-strings and their sums, assigned,
  extended by `+=`, chosen by `if` and returned;
- `response(self, observation)` of the agent: besides, `append` to a list of messages, a copy of such a list,
  and `messages[-1]["content"] += ...`, up to the call of the model.
"""

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.kumo.plan import escape, slots_of

AGENT = "VanillaAgent"
REMEDY = (
    "give --release an unchanged clone of the KUMO authors' repository (`git checkout FILE` restores one)"
)
_MAX_TEMPLATE = 100_000
_NOTHING = object()
_KEPT = "self.messages"
_SLOTS = {
    "self.env.truth_space": "truths",
    "self.env.action_space": "actions",
    "self.T": "truths",
    "self.A": "actions",
}


@dataclass(frozen=True, slots=True)
class AgentMessages:
    """What the agent adds to the system message, as templates (see `PaperMessages`)."""

    first: str
    begin: str
    observed: str
    tail: str


def parse_module(text: str, source: str) -> ast.Module:
    """The syntax tree of a module; raise UnreadableInput, with the line, where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is the text's affair
            return ast.parse(text)
    except SyntaxError as error:
        raise UnreadableInput(f"{source}, line {error.lineno}: not Python ({error.msg}); {REMEDY}") from None
    except (RecursionError, MemoryError, ValueError):
        raise UnreadableInput(
            f"{source}: nested too deeply, or no text, to be read as Python; {REMEDY}"
        ) from None


def read_system_prompt(method: ast.FunctionDef, source: str) -> tuple[str, str]:
    """The template of the system message with a book, and of that without one.

    Raises UnreadableInput, naming the line, for a form that is not read, and for a message that does not show
    both lists, and the book once where there is one.
    """
    templates = []
    for book in ("{book}", None):
        reader = _MethodReader(source, {"book": book, "agent_type": AGENT})
        template = reader.read_return(method)
        wanted = {"truths", "actions"} | ({"book"} if book else set())
        if slots_of(template) != wanted:
            raise reader.refusal(
                method, f"the message shows {_list_names(slots_of(template))}, expected {_list_names(wanted)}"
            )
        templates.append(template)
    with_book, without = templates
    return with_book, without


def read_agent(method: ast.FunctionDef, source: str) -> AgentMessages:
    """The templates of the agent's messages; raise UnreadableInput as `read_system_prompt` does.

    Raises it too where the messages stand in another order than perennial sends them.
    """
    reader = _MethodReader(source, {"observation": None})
    sent, kept = reader.conversation(method, [("system", "{system}")])
    later = _MethodReader(source, {"observation": "{observation}"})
    start = [*kept, ("assistant", "{reply}")]
    sent_later, kept_later = later.conversation(method, start)
    match sent, kept, sent_later[len(start) :], kept_later[len(start) :]:
        case (
            [("system", "{system}"), ("user", first)],
            [("system", "{system}"), ("user", begin)],
            [("user", asked)],
            [("user", observed)],
        ) if asked.startswith(observed) and sent_later[: len(start)] == kept_later[: len(start)] == start:
            messages = AgentMessages(first, begin, observed, asked.removeprefix(observed))
            wanted = {"truths", "actions"}, set[str](), {"observation"}, {"truths", "actions"}
            slots = tuple(map(slots_of, (messages.first, messages.begin, messages.observed, messages.tail)))
            if slots == wanted:
                return messages
    raise reader.refusal(
        method,
        "the messages stand in another order than system, user, assistant, user, or show something else than "
        "the lists in the last message and the observation before them",
    )


def _list_names(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


class _MethodReader:
    """One pass over a method: what its names stand for, as templates or None, and its lists of messages."""

    def __init__(self, source: str, names: Mapping[str, str | None]) -> None:
        self.source = source
        self.names = dict(names)
        self.lists: dict[str, list[tuple[str, str]]] = {}

    def read_return(self, method: ast.FunctionDef) -> str:
        """The template that the method returns."""
        result = self.run(method.body)
        if not isinstance(result, str):
            raise self.refusal(method, "no text is returned")
        return result

    def conversation(
        self, method: ast.FunctionDef, start: list[tuple[str, str]]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The messages that the method sends after those of `start`, and those that it keeps."""
        self.lists = {_KEPT: list(start)}
        sent = self.run(method.body)
        if not isinstance(sent, list):
            raise self.refusal(method, "no call of the model `call_llm(messages, ...)` is reached")
        return sent, self.lists[_KEPT]

    def run(self, statements: Sequence[ast.stmt]) -> object:
        """Follow the statements; return what the first `return`, or call of the model, is given."""
        for statement in statements:
            result = self.step(statement)
            if result is not _NOTHING:
                return result
        return _NOTHING

    def step(self, statement: ast.stmt) -> object:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                return self.run(body if self.holds(test) else orelse)
            case ast.Return(value=ast.expr() as value):
                return self.text(value)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return _NOTHING
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr="call_llm"), args=[messages, *_])):
                name = ast.unparse(messages)
                if name in self.lists:
                    return self.lists[name]
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(attr="deepcopy" | "copy"), args=[copied]),
            ) if ast.unparse(copied) in self.lists:
                self.lists[name] = list(self.lists[ast.unparse(copied)])
                return _NOTHING
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.names[name] = self.value(value)
                return _NOTHING
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value) if name in self.names:
                self.names[name] = self.join_parts(statement, self.names[name], self.value(value))
                return _NOTHING
            case ast.AugAssign(
                target=ast.Subscript(
                    value=ast.Subscript(value=listed, slice=ast.UnaryOp(ast.USub(), ast.Constant(value=1))),
                    slice=ast.Constant(value="content"),
                ),
                op=ast.Add(),
                value=value,
            ) if self.lists.get(ast.unparse(listed)):
                messages_ = self.lists[ast.unparse(listed)]
                role, content = messages_[-1]
                messages_[-1] = role, self.join_parts(statement, content, self.value(value))
                return _NOTHING
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=listed, attr="append"), args=[added])):
                name = ast.unparse(listed)
                if name in self.lists:
                    self.lists[name].append(self.message(added))
                return _NOTHING
        raise self.refusal(statement, f"a statement of kind {type(statement).__name__}")

    def message(self, node: ast.expr) -> tuple[str, str]:
        """Role and content of a message."""
        match node:
            case ast.Dict(
                keys=[ast.Constant(value="role"), ast.Constant(value="content")],
                values=[ast.Constant(value=str(role)), content],
            ):
                return role, self.text(content)
        raise self.refusal(node, "a message without role and content")

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
            case ast.FormattedValue(value=shown, conversion=-1, format_spec=None):
                slot = _SLOTS.get(ast.unparse(shown))
                return self.text(shown) if slot is None else f"{{{slot}}}"
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
        raise self.refusal(node, "a condition on something else than the book, the observation or the agent")

    def refusal(self, node: ast.AST, what: str) -> UnreadableInput:
        """An error that names the node's line."""
        return UnreadableInput(
            f"{self.source}, line {getattr(node, 'lineno', 1)}: {what}; expected messages made of texts, "
            f"lists, book and observation as published; {REMEDY}"
        )
