"""The prompts of BeyondBench's authors, as templates that are read from a copy of their package.

A prompt is what method `create_prompt(self, data_point)` of a task returns. It is followed as a syntax tree
and never executed (`perennial.tasks.message_syntax`); no sentence of theirs stands in this project. The Easy
and the Medium suite are covered. Problems of the Hard suite are not asked, though five tasks and most sudokus
are the same puzzles: their prompts are composed by code (loops, sums, once a random number), which would have
to be executed. That of n_queens alone is a text with slots; it asks for the empty board only, and a score in
one task of ten would be none of the suite.
"""

import ast
import re
from collections.abc import Mapping
from typing import Any

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.text import fill, slots_of
from perennial.tasks.beyondbench.easy.lists import PairParams
from perennial.tasks.beyondbench.registry import TASKS
from perennial.tasks.message_syntax import MethodReader, parse_module

REMEDY = "give --release an unchanged copy of the BeyondBench authors' package (a clone of their repository)"
_EXPECTED = f"expected a prompt made of texts and the problem's numbers as published; {REMEDY}"
_METHOD = "create_prompt"
# Tasks that bear another name in their package.
_NAMES = {"addition": "sum", "lis_length": "longest_increasing_subsequence"}
_SLOTS = {
    "data_point": "values",
    "data_point['input_list']": "values",
    "data_point[0]": "first",
    "data_point[1]": "second",
    "data_point['num1']": "first",
    "data_point['num2']": "second",
    "data_point['shown_sequence']": "sequence",
}


def has_words(task: str) -> bool:
    """Whether the authors' prompt of the task can ask our problems."""
    return TASKS[task].suite != "hard"


def their_name(task: str) -> str:
    """What the task is called in their package."""
    return _NAMES.get(task, task)


def read_prompt(text: str, source: str, task: str) -> str:
    """The template of the prompt in a module of theirs.

    Raises UnreadableInput, naming the line, for another form and for a prompt that does not show the problem.
    """
    module = parse_module(text, source, REMEDY)
    methods = [
        method
        for node in module.body
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == _METHOD
    ]
    if len(methods) != 1:
        raise UnreadableInput(f"{source}: {len(methods)} methods `{_METHOD}`, expected one; {REMEDY}")
    reader = _PromptReader(source, {}, _SLOTS, _EXPECTED)
    template = reader.read_return(methods[0])
    slots = slots_of(template)
    if slots not in _shown_forms(task):
        raise reader.refusal(
            methods[0], f"the prompt shows {', '.join(sorted(slots)) or 'nothing'} of a problem"
        )
    return template


def _shown_forms(task: str) -> tuple[set[str], ...]:
    """The sets of slots, each of which shows a whole problem."""
    if TASKS[task].suite == "medium":
        return ({"terms"},)
    return ({"values"}, {"first", "second"}) if TASKS[task].params is PairParams else ({"values"},)


class _PromptReader(MethodReader):
    """The reader of one prompt: a sequence is shown by its terms, joined with commas."""

    def value(self, node: ast.expr) -> str | None:
        match node:
            case ast.Name() | ast.Subscript() if slot := self.slots.get(ast.unparse(node)):
                return f"{{{slot}}}"
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=", "), attr="join"),
                args=[ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="str"), listed])],
            ) if self.value(listed) == "{sequence}":
                return "{terms}"
        return super().value(node)


def write_prompt(template: str, words: Mapping[str, Any]) -> str | None:
    """The prompt of a problem with these words of our template; None where theirs asks for something else.

    Their prompt to count multiples names one divisor, which is not that of every problem of ours.
    """
    divisor = words.get("divisor")
    if divisor is not None and re.search(rf"\b{divisor}\b", fill(template, {"values": ""})) is None:
        return None
    texts = {name: str(value) for name, value in words.items()}
    if "first" in words:
        texts["values"] = str([words["first"], words["second"]])
    if "terms" in words:
        texts["terms"] = ", ".join(words["terms"])
    return fill(template, texts)
