"""`copy` and `deepcopy` of authored code: of plain values alone, by their own classes.

Those of the standard library ask an object how it is copied (`__reduce_ex__`, `__deepcopy__`), and a memo
that the caller may bring: whoever writes the answers calls any function by them.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

TYPE_CHECKING = False  # For mypy alone: importing `typing` is a tenth of a worker's start.
if TYPE_CHECKING:
    from typing import Any

_WHOLE = frozenset((bool, bytes, complex, float, int, range, str, type(None), type(lambda: None)))
_LISTS = frozenset((list, set, frozenset, tuple))
_MAPPINGS = frozenset((dict, OrderedDict, defaultdict, Counter))


def copy(value: Any) -> Any:
    """A copy of the value that shares its parts; raise TypeError for what is no plain value."""
    return _copy(value, lambda part: part)


def deepcopy(value: Any) -> Any:
    """A copy of the value and of its parts; a part that is there twice is one part of the copy."""
    copies: dict[int, Any] = {}

    def copy_part(part: Any) -> Any:
        if type(part) in _WHOLE:
            return part
        if id(part) not in copies:
            # The part is kept beside its copy: an id is of one object as long as that lives.
            copies[id(part)] = part, _copy(part, copy_part)
        return copies[id(part)][1]

    return copy_part(value)


def _copy(value: Any, copy_part: Any) -> Any:
    kind = type(value)
    if kind in _WHOLE:
        return value
    if kind in _LISTS:
        return kind([copy_part(part) for part in value])
    if kind is bytearray:
        return bytearray(value)
    if kind is deque:
        return deque([copy_part(part) for part in value], value.maxlen)
    pairs = (
        [(copy_part(key), copy_part(part)) for key, part in dict.items(value)] if kind in _MAPPINGS else []
    )
    if kind is dict or kind is OrderedDict:
        return kind(pairs)
    if kind is defaultdict:
        return defaultdict(value.default_factory, pairs)
    if kind is Counter:
        return Counter(dict(pairs))
    raise TypeError(f"a value of type {kind.__name__} cannot be copied here")
