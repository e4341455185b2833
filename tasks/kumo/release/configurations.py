"""Configurations of the KUMO authors' release: a Python module of literals, or JSON, as a SeedConfig.

A module has a list or set of truths (`Truths`, `Diseases` or `Abilities`), one of actions (`Actions`,
`Diagnosis` or `Tests`) and a dictionary `Outcomes`: action -> {"type": ..., "states": {label, number or
(low, high): the truths that it rules out}}. Defects stay as they are: `perennial.tasks.kumo.validation` finds
them.
"""

import ast
import json
import warnings
from dataclasses import dataclass
from math import isfinite
from typing import Any

from perennial.schemas.errors import UnreadableInput, quote
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.configuration import parse_config

# Read a Python module of literals as a syntax tree: never executed, everything that is no literal refused.
#
# What is read: assignments of strings, numbers, lists, tuples, sets and dictionaries to names; `set()` and
# `set([...])`; names assigned above; and comprehensions over such a name,
#
#     [x for x in Truths if x not in ["A", "B"]]        also `in`, also a name instead of the list
#     {x for x in Truths if "A" not in x and "B" not in x}
#
# A set is a `frozenset` here; sort where an order is needed. Of a key written twice in a dictionary
# Python keeps the first place and the last value; so does this reader, and reports it.


MAX_CHARACTERS = 500_000  # the largest of the release has 20,075
_MAX_STEPS = 1_000_000
_MAX_BITS = 64
_SET = "set"
_SCALARS = (str, int, float)
_LISTS = (list, tuple, frozenset)
_BOM = "\ufeff"
_HINT = "only literals, set(...), names from above and comprehensions over them are read, nothing is executed"


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key that a dictionary of the module has twice, and the line of the second one."""

    line: int
    key: Any


@dataclass(frozen=True, slots=True)
class ReadModule:
    """What a module's names stand for at its end, and the keys that its dictionaries repeat."""

    values: dict[str, Any]
    repeated_keys: tuple[RepeatedKey, ...]


def read_module(text: str, source: str) -> ReadModule:
    """The values of the module's names; `source` names it in errors.

    Raises UnreadableInput, naming the line, at the first form that is not read, and where the text is no
    Python, larger than MAX_CHARACTERS or nested too deeply.
    """
    if len(text) > MAX_CHARACTERS:
        raise UnreadableInput(
            f"{source}: {len(text):,} characters, but a module of literals has {MAX_CHARACTERS:,} at most"
        )
    reader = _ModuleReader(source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a string is the text's affair
            tree = ast.parse(text.removeprefix(_BOM))
        for statement in tree.body:
            reader.run(statement)
    except SyntaxError as error:
        line = "" if error.lineno is None else f", line {error.lineno}"
        raise UnreadableInput(f"{source}{line}: not Python ({error.msg}); {_HINT}") from None
    except ValueError as error:
        raise UnreadableInput(f"{source}: not Python ({error}); {_HINT}") from None
    except (RecursionError, MemoryError):
        raise UnreadableInput(f"{source}: nested too deeply; expected a few levels") from None
    return ReadModule(reader.values, tuple(reader.repeated_keys))


class _ModuleReader:
    """The names assigned so far, and one pass over statements and expressions."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.values: dict[str, Any] = {}
        self.repeated_keys: list[RepeatedKey] = []
        self.steps = 0

    def run(self, statement: ast.stmt) -> None:
        """Take the assignments of a statement; a text on its own is skipped."""
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                return
            case ast.Assign(targets=targets, value=value):
                result = self.value(value)
                for target in targets:
                    if not isinstance(target, ast.Name) or target.id == _SET:
                        raise self.refusal(target, "an assignment to something else than a plain name")
                    self.values[target.id] = result
            case _:
                raise self.refusal(statement, f"a statement of kind {type(statement).__name__}")

    def value(self, node: ast.expr) -> Any:
        self.count(node, 1)
        match node:
            case ast.Constant(value=constant) if _is_scalar(constant):
                return constant
            case ast.UnaryOp(
                op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)
            ) if _is_scalar(number):
                return -number if isinstance(sign, ast.USub) else number
            case ast.Name(id=name) if name in self.values:
                return self.values[name]
            case ast.List(elts=elements):
                return [self.value(element) for element in elements]
            case ast.Tuple(elts=elements):
                return tuple([self.value(element) for element in elements])
            case ast.Set(elts=elements):
                return frozenset(self.hashable(element) for element in elements)
            case ast.Dict(keys=keys, values=values):
                return self.dictionary(node, keys, values)
            case ast.ListComp():
                return self.filter_texts(node)
            case ast.SetComp():
                return frozenset(self.filter_texts(node))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name == _SET and len(args) <= 1:
                members = self.value(args[0]) if args else ()
                if isinstance(members, _LISTS) and all(isinstance(member, _SCALARS) for member in members):
                    self.count(node, len(members))
                    return frozenset(members)
        raise self.refusal(node)

    def hashable(self, node: ast.expr) -> Any:
        """A member of a set or a key of a dictionary: a text, a number or a tuple of such."""
        value = self.value(node)
        if not all(isinstance(part, _SCALARS) for part in (value if isinstance(value, tuple) else (value,))):
            raise self.refusal(node, "a key or a member of a set that is no text, number or tuple of these")
        return value

    def dictionary(
        self, node: ast.Dict, keys: list[ast.expr | None], values: list[ast.expr]
    ) -> dict[Any, Any]:
        """The dictionary, noting keys that it repeats."""
        result: dict[Any, Any] = {}
        for key_node, value_node in zip(keys, values, strict=True):
            if key_node is None:
                raise self.refusal(node, "an unpacked dictionary")
            key = self.hashable(key_node)
            if key in result:
                self.repeated_keys.append(RepeatedKey(key_node.lineno, key))
            result[key] = self.value(value_node)
        return result

    def filter_texts(self, node: ast.ListComp | ast.SetComp) -> list[str]:
        """The texts of a comprehension `x for x in Name [if condition]`."""
        match node.elt, node.generators:
            case (
                ast.Name(id=element),
                [ast.comprehension(target=ast.Name(id=name), iter=ast.Name() as over, ifs=tests, is_async=0)],
            ) if element == name and len(tests) <= 1:
                texts = self.texts(over)
                self.count(node, len(texts))
                for test in tests:
                    texts = self.passing(test, name, texts)
                return texts
        raise self.refusal(node)

    def passing(self, node: ast.expr, name: str, texts: list[str]) -> list[str]:
        """The texts for which the condition on the comprehension's name holds."""
        self.count(node, len(texts))
        match node:
            case ast.BoolOp(op=ast.And(), values=conditions):
                for condition in conditions:
                    texts = self.passing(condition, name, texts)
                return texts
            case ast.Compare(
                left=ast.Name(id=left), ops=[ast.In() | ast.NotIn() as test], comparators=[right]
            ) if left == name and not (isinstance(right, ast.Name) and right.id == name):
                members = frozenset(self.texts(right))
                return [text for text in texts if (text in members) == isinstance(test, ast.In)]
            case ast.Compare(
                left=ast.Constant(value=str(part)),
                ops=[ast.In() | ast.NotIn() as test],
                comparators=[ast.Name(id=right_name)],
            ) if right_name == name:
                return [text for text in texts if (part in text) == isinstance(test, ast.In)]
        raise self.refusal(node, "a condition of another form than `x not in [...]` or `'text' not in x`")

    def texts(self, node: ast.expr) -> list[str]:
        """The texts of a list, a tuple or a set, those of a set sorted."""
        value = self.value(node)
        if not isinstance(value, _LISTS) or not all(isinstance(text, str) for text in value):
            raise self.refusal(node, "a comprehension or condition over something else than a list of texts")
        return sorted(value) if isinstance(value, frozenset) else list(value)

    def count(self, node: ast.expr, steps: int) -> None:
        """Refuse work beyond that of any honest module."""
        self.steps += steps
        if self.steps > _MAX_STEPS:
            raise self.refusal(node, f"work of more than {_MAX_STEPS:,} steps")

    def refusal(self, node: ast.AST, what: str = "") -> UnreadableInput:
        """An error that names the node's line."""
        what = what or f"an expression of kind {type(node).__name__}, or a name that is not assigned above"
        return UnreadableInput(f"{self.source}, line {getattr(node, 'lineno', 1)}: {what}; {_HINT}")


def _is_scalar(value: object) -> bool:
    """Whether it is a text, or a number of a size that JSON and SQL have too."""
    if type(value) is int:
        return value.bit_length() <= _MAX_BITS
    return type(value) is str or (type(value) is float and isfinite(value))


TRUTH_NAMES = ("Truths", "Diseases", "Abilities")
ACTION_NAMES = ("Actions", "Diagnosis", "Tests")
OUTCOME_NAMES = ("Outcomes",)
_MAX_RULED_OUT = 250_000


@dataclass(frozen=True, slots=True)
class ReadConfig:
    """A configuration, and remarks on what its file says twice."""

    config: SeedConfig
    remarks: tuple[str, ...]


def config_from_module(text: str, name: str, source: str) -> ReadConfig:
    """The configuration that a module's text holds, called `name` (the domain's, such as MedicalEnv).

    Sets have no order: their members are sorted, as those that states rule out always are. `source` names
    the module in errors. Raises UnreadableInput, with the line where there is one, for a form that is not
    read (see `module_syntax`), a name that is missing, and values that make no configuration.
    """
    module = read_module(text, source)
    outcomes = _one_of(module, OUTCOME_NAMES, source)
    if not isinstance(outcomes, dict):
        raise UnreadableInput(f"{source}: Outcomes is {quote(outcomes)}, expected a dictionary by action")
    if _count_ruled_out(outcomes) > _MAX_RULED_OUT:
        raise UnreadableInput(
            f"{source}: Outcomes have more than {_MAX_RULED_OUT:,} states and truths that they rule out; "
            "expected some thousands"
        )
    document = {
        "name": name,
        "truths": _as_json(_one_of(module, TRUTH_NAMES, source)),
        "actions": _as_json(_one_of(module, ACTION_NAMES, source)),
        "outcomes": [_outcome(action, entry) for action, entry in outcomes.items()],
    }
    remarks = (
        f"{source}, line {repeated.line}: the key {quote(repeated.key)} occurs twice in one dictionary; "
        "the last value counts, as in Python"
        for repeated in module.repeated_keys
    )
    return ReadConfig(parse_config(json.dumps(document, ensure_ascii=False), source), tuple(remarks))


def config_from_json(text: str, name: str, source: str) -> ReadConfig:
    """The configuration that a JSON text holds, which must be called `name`; raise UnreadableInput."""
    config = parse_config(text, source)
    if config.name != name:
        raise UnreadableInput(
            f"{source}: holds the configuration of {config.name!r}, expected {name!r}; rename the file"
        )
    return ReadConfig(config, ())


def _one_of(module: ReadModule, names: tuple[str, ...], source: str) -> Any:
    present = [name for name in names if name in module.values]
    if not present:
        raise UnreadableInput(f"{source}: no {' or '.join(names)} in it, expected one of these names")
    if any(module.values[name] is not module.values[present[0]] for name in present[1:]):
        raise UnreadableInput(f"{source}: {' and '.join(present)} are there, expected one of these names")
    return module.values[present[0]]


def _count_ruled_out(outcomes: dict[Any, Any]) -> int:
    """How many states and ruled-out truths there are: a module can name one long list many times."""
    all_states = (entry.get("states") for entry in outcomes.values() if isinstance(entry, dict))
    return sum(
        1 + (len(rules_out) if isinstance(rules_out, _LISTS) else 0)
        for states in all_states
        if isinstance(states, dict)
        for rules_out in states.values()
    )


def _outcome(action: Any, entry: Any) -> Any:
    """The entry in the JSON form; what fits into no form stays, for `parse_config` to refuse."""
    if not isinstance(entry, dict) or not isinstance(entry.get("states"), dict):
        return _as_json(entry)
    states = [
        {
            **({"range": list(key)} if isinstance(key, tuple) else {"label": key}),
            "rules_out": sorted(rules_out) if _are_texts(rules_out) else _as_json(rules_out),
        }
        for key, rules_out in entry["states"].items()
    ]
    return {"action": _as_json(action), **_as_json({**entry, "states": ()}), "states": states}


def _as_json(value: Any) -> Any:
    """The value with lists for tuples and sets, and texts for keys; the texts of a set are sorted."""
    if isinstance(value, dict):
        return {str(key): _as_json(entry) for key, entry in value.items()}
    if isinstance(value, _LISTS):
        is_set = isinstance(value, frozenset) and _are_texts(value)
        return [_as_json(entry) for entry in (sorted(value) if is_set else value)]
    return value


def _are_texts(value: Any) -> bool:
    return isinstance(value, _LISTS) and all(isinstance(text, str) for text in value)
