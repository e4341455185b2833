"""Read how the KUMO authors' programs make messages, as syntax trees: never executed, all else refused.

Two methods are followed, statement by statement, with slots in the place of what is known only in play:

- `get_system_prompt(self, book, agent_type)` of an environment: texts, f-strings and their sums, assigned,
  extended by `+=`, chosen by `if` and returned;
- `response(self, observation)` of the agent: besides, `append` to a list of messages, a copy of such a list,
  and `messages[-1]["content"] += ...`, up to the call of the model.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from perennial.schemas.text import slots_of
from perennial.tasks.message_syntax import NOTHING, MethodReader

AGENT = "VanillaAgent"
REMEDY = (
    "give --release an unchanged clone of the KUMO authors' repository (`git checkout FILE` restores one)"
)
_EXPECTED = f"expected messages made of texts, lists, book and observation as published; {REMEDY}"
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


def read_system_prompt(method: ast.FunctionDef, source: str) -> tuple[str, str]:
    """The template of the system message with a book, and of that without one.

    Raises UnreadableInput, naming the line, for a form that is not read, and for a message that does not show
    both lists, and the book once where there is one.
    """
    templates = []
    for book in ("{book}", None):
        reader = _AgentReader(source, {"book": book, "agent_type": AGENT})
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
    reader = _AgentReader(source, {"observation": None})
    sent, kept = reader.conversation(method, [("system", "{system}")])
    later = _AgentReader(source, {"observation": "{observation}"})
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


class _AgentReader(MethodReader):
    """The reader of their methods, with the lists of messages."""

    def __init__(self, source: str, names: Mapping[str, str | None]) -> None:
        super().__init__(source, names, _SLOTS, _EXPECTED)
        self.lists: dict[str, list[tuple[str, str]]] = {}

    def conversation(
        self, method: ast.FunctionDef, start: list[tuple[str, str]]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The messages that the method sends after those of `start`, and those that it keeps."""
        self.lists = {_KEPT: list(start)}
        sent = self.run(method.body)
        if not isinstance(sent, list):
            raise self.refusal(method, "no call of the model `call_llm(messages, ...)` is reached")
        return sent, self.lists[_KEPT]

    def step(self, statement: ast.stmt) -> object:
        match statement:
            case ast.Assign(value=ast.Call(func=ast.Attribute(attr="call_llm"), args=[messages, *_])):
                name = ast.unparse(messages)
                if name in self.lists:
                    return self.lists[name]
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(attr="deepcopy" | "copy"), args=[copied]),
            ) if ast.unparse(copied) in self.lists:
                self.lists[name] = list(self.lists[ast.unparse(copied)])
                return NOTHING
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
                return NOTHING
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=listed, attr="append"), args=[added])):
                name = ast.unparse(listed)
                if name in self.lists:
                    self.lists[name].append(self.message(added))
                return NOTHING
        return super().step(statement)

    def message(self, node: ast.expr) -> tuple[str, str]:
        match node:
            case ast.Dict(
                keys=[ast.Constant(value="role"), ast.Constant(value="content")],
                values=[ast.Constant(value=str(role)), content],
            ):
                return role, self.text(content)
        raise self.refusal(node, "a message without role and content")
