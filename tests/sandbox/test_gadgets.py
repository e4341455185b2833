"""Gadgets: no way of a guest to code of Python's own that reads or writes an attribute for its caller."""

import json
import os
import re
from pathlib import Path

import pytest

from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.sandbox.refusal import SandboxRefusal, check_syntax
from perennial.tasks.sandbox.tier import Worker, run_code
from tests.sandbox.gadgets import BUILT, GADGETS, WRITTEN
from tests.sandbox.programs import FAST
from tests.sandbox.tiers import JAILS


@pytest.mark.parametrize("name", WRITTEN)
def test_what_no_list_names_is_refused_before_it_runs_with_the_line(name: str) -> None:
    with pytest.raises(SandboxRefusal) as refused:
        check_syntax(WRITTEN[name])
    assert refused.value.reason in ("forbidden", "syntax")
    line = re.search(r"line (\d+)", refused.value.detail)
    assert line is not None
    assert 1 <= int(line[1]) <= WRITTEN[name].count("\n") + 1


def end_of(worker: Worker) -> str:
    """Return why the program was refused, or what it returned."""
    try:
        return f"worked: {worker.call(['a', 'b'])!r}"
    except SandboxRefusal as refused:
        return refused.reason


@pytest.mark.parametrize("tier", JAILS)
def test_what_the_lists_name_leads_nowhere(tier: str) -> None:
    """One worker runs all of them: what is refused leaves the next ones nothing."""
    jail, worked = JAILS[tier], {}
    with Worker(FAST, jail=jail.command, use_seccomp=jail.use_seccomp) as worker:
        for name, code in BUILT.items():
            check_syntax(code)
            worker.define(code, "f")
            worked[name] = end_of(worker)
    assert {name: end for name, end in worked.items() if end != "raised"} == {}


@pytest.mark.parametrize("tier", JAILS)
@pytest.mark.parametrize("name", ["namespace", "class with dunder methods", "frame of a traceback"])
def test_a_refused_program_starts_no_worker(name: str, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perennial.tasks.sandbox.tier.Worker", None)
    with pytest.raises(SandboxRefusal, match="line"):
        run_code(GADGETS[name], "f", ["x"], FAST, JAILS[tier])


def test_the_line_is_that_of_the_attribute() -> None:
    with pytest.raises(SandboxRefusal, match="line 4 uses the attribute gi_frame, which is not allowed"):
        check_syntax("def f(x):\n    y = x\n\n    return (i for i in y).gi_frame\n")


def test_natural_programs_pass() -> None:
    """What rules do in other ways than the catalogue: each line is a body of `f(x)` with its output."""
    bodies = {
        "return [input_ for input_ in x]": ["a", "b", "a"],
        "return Counter(x).most_common(1)[0][0]": "a",
        "return sorted(Counter(x).elements())": ["a", "a", "b"],
        "return (Counter(x) - Counter('a')).copy().total()": 2,
        "y = deepcopy([x, x])\n y[0].append('c')\n return [len(y[1]), len(x)]": [4, 3],
        "y = copy(x)\n y[0] = 'c'\n return [y[0], x[0]]": ["c", "a"],
        "return deepcopy({'a': {1: (2, {3})}})['a'][1][0]": 2,
        "return deepcopy(defaultdict(list, {'a': x}))['b']": [],
        "return list(deepcopy(deque(x, 2)))": ["b", "a"],
        "return partial(int, base=2)('101')": 5,
        "return fib(60)": 1548008755920,
        "return sorted(x, key=cmp_to_key(lambda a, b: (a < b) - (a > b)))": ["b", "a", "a"],
        "return reduce(lambda a, b: b + a, x)": "aba",
        "return [''.join(g) for _, g in groupby(x)]": ["a", "b", "a"],
        "return list(chain.from_iterable(x))": ["a", "b", "a"],
        "return dumps({'b': 1, 'a': x}, sort_keys=True, indent=1).count('\\n')": 7,
        "return loads('[1, 2]')": [1, 2],
        "return '{:>3}|{}'.format(x[0], f'{len(x):03d}')": "  a|003",
        "return 'ab'.translate(str.maketrans('ab', 'ba'))": "ba",
        "return dict.fromkeys(x, 1)": {"a": 1, "b": 1},
        "match x:\n  case [a, *rest]: return rest\n  case {'k': v, **others}: return v": ["b", "a"],
        "try: return int('x')\n except ValueError as error: return error.args[0][:7]": "invalid",
        "return type(x) == list and type(None) != type(x[0])": True,
        "return [int.from_bytes(b'\\x01\\x00', 'big'), (5).bit_length()]": [256, 3],
        "def g(n: int) -> list[int]:\n  yield from range(n)\n return list(g(2))": [0, 1],
    }
    head = (
        "from collections import Counter, OrderedDict, defaultdict, deque\nfrom copy import copy, deepcopy\n"
        "from functools import cmp_to_key, lru_cache, partial, reduce\nfrom itertools import chain, groupby\n"
        "from json import dumps, loads\n@lru_cache(maxsize=None)\n"
        "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    )
    with Worker(FAST) as worker:
        for body, output in bodies.items():
            code = f"{head}def f(x):\n {body}\n"
            check_syntax(code)
            worker.define(code, "f")
            assert worker.call(["a", "b", "a"]) == output, body


def test_every_rule_of_the_catalogue_passes() -> None:
    for rule in RULES.values():
        check_syntax(rule.code)


def test_every_program_of_the_release_passes() -> None:
    """That they give the published outputs is tested where the release is imported."""
    shared = Path(os.environ.get("PERENNIAL_SHARED", Path(__file__).parents[3] / "shared"))
    file = shared / "a2rbench_release" / "seeds.jsonl"
    if not file.exists():
        pytest.skip("seeds of A2RBench's authors are not beside this clone (set PERENNIAL_SHARED)")
    codes = [json.loads(line)["python_code"] for line in file.read_text(encoding="utf-8").splitlines()]
    for code in codes:
        check_syntax(code)
    assert len(codes) == 48
