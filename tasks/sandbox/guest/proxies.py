"""What authored code finds under the allowed names: restricted builtins, and modules without their insides.

Nothing here reads an attribute whose name the guest chose, builds an object with attributes that it chose, or
gives it the class of a class. `callbacks.toml` reviews each name.
"""

from __future__ import annotations

import builtins
import collections
import functools
import importlib
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType

from perennial.tasks.sandbox.guest.copying import copy, deepcopy
from perennial.tasks.sandbox.guest.names import BUILTINS, MODULES

TYPE_CHECKING = False  # For mypy alone: importing `typing` is a tenth of a worker's start.
if TYPE_CHECKING:
    from typing import Any

# More than is returned of a script's output: whoever cuts it says so.
_MOST_PRINTED = 20_000
_PLAIN = (
    *(bool, bytearray, bytes, complex, dict, float, frozenset, int, list, range, set, slice, str, tuple),
    *(type(None), collections.Counter, collections.OrderedDict, collections.defaultdict, collections.deque),
)
_CLASSES = frozenset(_PLAIN) | {
    base for name in BUILTINS if issubclass(type(base := getattr(builtins, name)), type) and base is not type
}


class Module:
    """A module as authored code sees it: names that nobody can set, and nothing else."""

    __slots__ = ("_names",)

    def __init__(self, names: Mapping[str, object]) -> None:
        object.__setattr__(self, "_names", MappingProxyType(dict(names)))

    def __getattr__(self, name: str) -> object:
        names: Mapping[str, object] = object.__getattribute__(self, "_names")
        if name not in names:
            raise AttributeError(f"the module has no name {name} here")
        return names[name]

    def __setattr__(self, name: str, _value: object) -> None:
        raise AttributeError(f"{name}: a module cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name}: a module cannot be changed")


def _type(value: object, /) -> type:
    """The class of a plain value; the others make functions, classes, or objects with attributes."""
    kind = type(value)
    if kind not in _CLASSES:
        raise TypeError("type is for plain values")
    return kind


def _print(*_values: object, **_options: object) -> None:
    """Print nothing: what a script prints is not read."""


def printer(pieces: list[str]) -> Callable[..., None]:
    """A `print` that adds to these pieces of text until they have `_MOST_PRINTED` characters."""
    room = _MOST_PRINTED

    def keep(*values: object, sep: object = " ", end: object = "\n", **_options: object) -> None:
        nonlocal room
        between, last = " " if sep is None else str(sep), "\n" if end is None else str(end)
        text = between.join(map(str, values)) + last
        if room > 0:
            pieces.append(text[:room])
            room -= len(text)

    return keep


def _partial(function: Callable[..., object], /, *first: object, **named: object) -> Callable[..., object]:
    """A function, which has no attributes of its own, unlike an object of `functools.partial`."""

    def call(*rest: object, **more: object) -> object:
        return function(*first, *rest, **{**named, **more})

    return call


def _cache(function: Callable[..., object], /) -> Callable[..., object]:
    """The function with a memory; that of `functools` takes over attributes of what it wraps."""
    cached: dict[object, object] = {}

    def call(*values: object, **named: object) -> object:
        key = values, tuple(named.items())
        if key not in cached:
            cached[key] = function(*values, **named)
        return cached[key]

    return call


def _lru_cache(maxsize: object = 128, typed: bool = False) -> Any:
    """`_cache`, with or without brackets; it forgets nothing."""
    return _cache(maxsize) if callable(maxsize) else _cache


def _dumps(
    value: object,
    *,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    ensure_ascii: bool = True,
    default: Callable[[object], object] | None = None,
) -> str:
    """`json.dumps` without `cls`, which would be called as an encoder."""
    return json.dumps(
        value,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
        ensure_ascii=ensure_ascii,
        default=default,
    )


def _loads(text: str) -> object:
    """`json.loads` without `cls` and hooks."""
    return json.loads(text)


_OWN: dict[str, dict[str, object]] = {
    "copy": {"copy": copy, "deepcopy": deepcopy},
    "functools": {
        "cache": _cache,
        "cmp_to_key": functools.cmp_to_key,
        "lru_cache": _lru_cache,
        "partial": _partial,
        "reduce": functools.reduce,
    },
    "json": {"dumps": _dumps, "loads": _loads},
}


def _proxy(module: str) -> Module:
    """A module with these names; one that this Python lacks is left out."""
    members = _OWN.get(module)
    if members is None:
        whole = importlib.import_module(module)
        members = {name: getattr(whole, name) for name in MODULES[module] if hasattr(whole, name)}
    return Module(members)


PROXIES = {module: _proxy(module) for module in MODULES}


def _import(
    name: str, _globals: object = None, _locals: object = None, _names: object = (), level: int = 0
) -> object:
    if level or name not in PROXIES:
        raise ImportError(f"module {name} is not among {', '.join(MODULES)}")
    return PROXIES[name]


def _copy_counter(counter: Any) -> collections.Counter[Any]:
    return collections.Counter(counter)


def seal() -> None:
    """Change what classes of this process do for the guest; for ever, so that the guest alone calls it.

    `Counter.copy(x)` is `x.__class__(x)`: of a class it gives `type`, which makes classes.
    """
    collections.Counter.copy = _copy_counter  # type: ignore[method-assign, assignment]
    importlib.import_module("heapq")  # Counter.most_common imports it when it is called


def guest_globals(print_values: Callable[..., None] = _print) -> dict[str, object]:
    """Fresh globals for one run of authored code."""
    names: dict[str, object] = {name: getattr(builtins, name) for name in BUILTINS}
    names |= {
        "__import__": _import,
        "print": print_values,
        "type": _type,
        "True": True,
        "False": False,
        "None": None,
    }
    return {"__name__": "__main__", "__builtins__": names}
