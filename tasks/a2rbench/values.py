"""Values of an item: lists of tokens nested as deep as the dimension; what may be said of them.

Published items have forms of their own: an innermost list may be a text, whose characters are the tokens,
and a token may be a whole number.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from perennial.schemas.text import unfit_part
from perennial.tasks.a2rbench.catalogue import Dimension, Value

# Of an input that a model wrote.
MOST_TOKENS, LONGEST_TOKEN = 400, 12


def tokens_of(value: Value) -> Iterator[str]:
    """Yield the tokens of a value in reading order."""
    if isinstance(value, list):
        for part in value:
            yield from tokens_of(part)
    else:
        yield value


def map_tokens(value: Value, change: Callable[[Any], str | int]) -> Value:
    """Return the value with each token changed, its structure kept."""
    return [map_tokens(part, change) for part in value] if isinstance(value, list) else change(value)


def fill_tokens(value: Value, tokens: Iterator[str]) -> Value:
    """Return the value with its tokens replaced by these in reading order, its structure kept."""
    return [fill_tokens(part, tokens) for part in value] if isinstance(value, list) else next(tokens)


def shape_of(value: Value, dimension: int) -> tuple[int, ...]:
    """Return the sides of a list of tokens, a grid or a cuboid, the outermost first; 0 below an empty one."""
    return (len(value), *shape_of(value[0] if value else [], dimension - 1)) if dimension else ()


def build_value(shape: Sequence[int], tokens: Iterator[str]) -> Value:
    """Return the value of this shape with these tokens in reading order."""
    side, *rest = shape
    return [build_value(rest, tokens) if rest else next(tokens) for _ in range(side)]


def fault_of_shape(value: Value, dimension: Dimension) -> str:
    """Return "" for a list of tokens, a rectangular grid or a cuboid, as the dimension says; else why not."""
    if not isinstance(value, list):
        return f"a value that is no list of dimension {dimension}"
    if dimension == 1:
        return (
            "" if all(isinstance(part, str) for part in value) else "a list with something other than tokens"
        )
    faults = (fault_of_shape(part, dimension - 1) for part in value)  # type: ignore[arg-type]
    first_fault = next((fault for fault in faults if fault), "")
    if first_fault:
        return first_fault
    return "" if len({shape_of(part, dimension - 1) for part in value}) <= 1 else "parts of different sizes"


def fault_of_input(value: Value, dimension: Dimension) -> str:
    """Return "" for an input of bounded size that has the shape of the dimension; else why it has not."""
    fault = fault_of_shape(value, dimension)
    if fault:
        return fault
    tokens = list(tokens_of(value))
    if len(tokens) > MOST_TOKENS:
        return f"an input of {len(tokens):,} tokens, at most {MOST_TOKENS} are allowed"
    odd = (
        token
        for token in tokens
        if not (0 < len(token) <= LONGEST_TOKEN and token.isprintable()) or unfit_part(token)
    )
    bad = next(odd, None)
    if bad is None:
        return ""
    return f"a list with the token {bad[:30]!a}: expected 1 to {LONGEST_TOKEN} printable characters, no marks"


def fault_of_form(value: Value, dimension: int) -> str:
    """Return "" for tokens nested as deep as the dimension in any published form, ragged or not; else why."""
    if dimension == 0:
        return "" if type(value) in (str, int) else f"{type(value).__name__} in place of a token"
    if dimension == 1 and isinstance(value, str):
        return ""
    if not isinstance(value, list):
        return f"{type(value).__name__} in place of a list of dimension {dimension}"
    return next((fault for part in value if (fault := fault_of_form(part, dimension - 1))), "")


def has_texts(values: Sequence[Value], dimension: int) -> bool:
    """Whether a text stands in place of an innermost list anywhere in the values."""
    if dimension == 1:
        return any(isinstance(value, str) for value in values)
    return any(has_texts(value, dimension - 1) for value in values)


def split_texts(value: Value, dimension: int) -> Value:
    """Return a value of any published form as lists of tokens as deep as the dimension."""
    return [split_texts(part, dimension - 1) for part in value] if dimension else str(value)


def join_texts(value: Value, dimension: int, like: Sequence[Value]) -> Value:
    """Return lists of tokens in the form that other values have."""
    kinds: set[object] = {type(token) for example in like for token in tokens_of(example)}
    if kinds == {int}:
        return map_tokens(value, lambda token: int(token) if token.lstrip("-").isdecimal() else token)
    return join_innermost(value, dimension) if has_texts(like, dimension) else value


def join_innermost(value: Value, dimension: int) -> Value:
    """Return lists of tokens with a text in place of each innermost list."""
    return "".join(value) if dimension == 1 else [join_innermost(part, dimension - 1) for part in value]


def layers_of(value: object, dimension: int) -> list[list[list[str]]] | None:
    """Return the value as layers of rows of tokens, None where it has not that form."""
    nested: object = value
    for _ in range(3 - dimension):
        nested = [nested]
    if not isinstance(nested, list) or not all(isinstance(layer, list) for layer in nested):
        return None
    layers = [[list(row) if isinstance(row, str) else row for row in layer] for layer in nested]
    is_of_tokens = all(
        isinstance(row, list) and all(isinstance(token, str) for token in row)
        for layer in layers
        for row in layer
    )
    return layers if is_of_tokens else None
