"""The review of what allowed names call back names each once, and a crawl over them reaches no more."""

import collections
import itertools
import json
import math
import tomllib
import types
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest

from perennial.tasks.sandbox.guest import proxies
from perennial.tasks.sandbox.guest.names import ATTRIBUTES, BUILTINS, MODULES


def reviewed(section: str) -> list[str]:
    table = tomllib.loads(
        (files("perennial.tasks.sandbox.guest") / "callbacks.toml").read_text(encoding="utf-8")
    )
    for entry in table[section]:
        assert set(entry) == {"names", "calls", "holds"}
        assert entry["calls"]
        assert entry["holds"]
    return [name for entry in table[section] for name in entry["names"]]


def test_each_name_is_reviewed_once() -> None:
    names = {*BUILTINS, *(f"{module}.{name}" for module in MODULES for name in MODULES[module])}
    assert collections.Counter(reviewed("review")) == collections.Counter(names)


def test_each_attribute_is_reviewed_once() -> None:
    assert collections.Counter(reviewed("attributes")) == collections.Counter(
        ATTRIBUTES.difference(*MODULES.values()) | {"count", "copy"}
    )


def test_a_module_has_its_names_and_cannot_be_changed() -> None:
    for module, proxy in proxies.PROXIES.items():
        for name in ("__dict__", "__name__", "__spec__", "__loader__", "_names", "sys", "names"):
            assert name not in MODULES[module]
        with pytest.raises(AttributeError, match="cannot be changed"):
            proxy.pi = 3
        with pytest.raises(AttributeError):
            del proxy.pi
    assert proxies.PROXIES["math"].pi == math.pi
    with pytest.raises(AttributeError, match="no name sys"):
        _ = proxies.PROXIES["json"].sys


# What leads further: classes that make classes, functions or objects with attributes; modules, frames, code.
_FATAL = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.SimpleNamespace)
_MAKERS = {type, object, super, property, *_FATAL, types.FunctionType, types.MethodType, types.GenericAlias}
_LIKE_TYPE = type(list[int]), type(int | str)


def test_a_crawl_over_all_names_and_attributes_reaches_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Call whatever is there with one and two values of each kind: nothing that comes back leads further."""
    monkeypatch.setattr(collections.Counter, "copy", collections.Counter.copy)  # restored after the test
    proxies.seal()
    assert crawl() == set()


def test_the_crawl_finds_the_class_of_classes_where_the_guest_is_not_sealed() -> None:
    assert any("Counter.copy" in found for found in crawl())


def crawl() -> set[str]:
    """Return what the guest's names and attributes, called, give that they must not."""
    found: set[str] = set()
    values = sample()
    for label, target in callables():
        for number in (0, 1, 2):
            for given in itertools.product(values, repeat=number):
                try:
                    result = target(*given)
                    result = [*itertools.islice(result, 3)] if isinstance(result, Iterator) else [result]
                except (Exception, SystemExit):  # noqa: BLE001
                    continue
                if any(leads_further(each) for each in result):
                    found.add(f"{label}: {result[0]!r:.60}")
    return found


def leads_further(value: object) -> bool:
    if isinstance(value, _FATAL):
        return True
    return isinstance(value, type) and (value in _MAKERS or value in _LIKE_TYPE)


def sample() -> list[Any]:
    def function(*values: object, **_named: object) -> object:
        return values[0] if values else None

    plain: list[Any] = [2, "ab", ["a", 1], {"a": 1}, None]
    return [*plain, int, collections.Counter, collections.Counter("a"), function, list[int], ValueError("a")]


def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    known = proxies.guest_globals()["__builtins__"]
    assert isinstance(known, dict)
    receivers: dict[str, Any] = {name: known[name] for name in sorted(BUILTINS)}
    for module in MODULES:
        for name in sorted(MODULES[module]):
            if hasattr(proxies.PROXIES[module], name):
                receivers[f"{module}.{name}"] = getattr(proxies.PROXIES[module], name)
    for label, receiver in receivers.items():
        if callable(receiver):
            yield label, receiver
    classes = {label: each for label, each in receivers.items() if isinstance(each, type)}
    kept = {name for name, each in classes.items() if not issubclass(each, BaseException)}
    objects = {repr(value): value for value in sample()} | {name: classes[name] for name in kept}
    for label, value in objects.items():
        for name in sorted(ATTRIBUTES):
            if callable(each := getattr(value, name, None)):
                yield f"{label}.{name}", each


def test_json_of_the_guest_is_json() -> None:
    dumps: Any = proxies.PROXIES["json"].dumps
    assert dumps({"a": [1, "é"]}, ensure_ascii=False) == json.dumps({"a": [1, "é"]}, ensure_ascii=False)
