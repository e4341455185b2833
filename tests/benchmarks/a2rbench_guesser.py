"""What A2RBench's guesser answers, learned on a draw of its own, and rates without inference on another one.

By hand: `python -m tests.benchmarks.a2rbench_guesser --learn` writes `tasks/a2rbench/players.py`; run
it again where the draw of items changes. Without `--learn` it prints rates of guesser, identity and nearest.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from perennial.schemas.a2rbench.things import name_domain
from perennial.schemas.ids import canonical_json, derive_rng
from perennial.tasks.a2rbench.item_text import write_prompt
from perennial.tasks.a2rbench.players import ItemForm, copy_nearest, guess, repeat_query, shape_of
from perennial.tasks.a2rbench.replies import read_answer
from tests.benchmarks.a2rbench_draw import draw_items

_HEAD = '''"""The most frequent right answers by form of an item, of {number:,} items drawn for it, as JSON.

Forms of which an answer was right more than once; then each cell. Written by
`python -m tests.benchmarks.a2rbench_guesser --learn`.
"""

USUAL: dict[str, str] = {{
'''


def main(arguments: list[str]) -> None:
    """Learn, or print the rates on a draw that nothing was learned from."""
    if arguments == ["--learn"]:
        learn()
        return
    players: dict[str, Callable[[dict[str, Any]], str]] = {
        "guesser": lambda item: guess(form_of(item)),
        "identity": lambda item: read_reply(repeat_query(prompt_of(item))),
        "nearest": lambda item: read_reply(copy_nearest(prompt_of(item))),
    }
    items = draw("measure")
    print(f"{'':<16}{'items':>6}" + "".join(f"{name:>10}" for name in players))
    cells: defaultdict[str, list[dict[str, bool]]] = defaultdict(list)
    for item in items:
        right = {name: play(item) == canonical_json(item["answer"]) for name, play in players.items()}
        for cell in ("all", form_of(item).domain, f"V{item['variation']}"):
            cells[cell].append(right)
    for cell, rows in sorted(cells.items()):
        rates = (sum(row[name] for row in rows) / len(rows) for name in players)
        print(f"{cell:<16}{len(rows):>6,}" + "".join(f"{rate:>10.4f}" for rate in rates))


def learn() -> None:
    """Write the module of the most frequent answers."""
    drawn = draw("learn")
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in drawn:
        form, answer = form_of(item), canonical_json(item["answer"])
        counts[form.key][answer] += 1
        counts[form.domain][answer] += 1
    usual = {
        key: min(found, key=lambda each: (-found[each], len(each), each)) for key, found in counts.items()
    }
    domains = {form_of(item).domain for item in drawn}
    lines = [
        f"    {json.dumps(key)}: {answer!r},\n"
        for key, answer in sorted(usual.items())
        if key in domains or counts[key][answer] > 1
    ]
    spec = find_spec("perennial.tasks.a2rbench.players")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    place = Path(spec.submodule_search_locations[0]) / "usual.py"
    place.write_text(_HEAD.format(number=len(drawn)) + "".join(lines) + "}\n", encoding="utf-8")


def draw(purpose: str) -> list[dict[str, Any]]:
    """Return the items of an edition under a seed of this purpose."""
    return draw_items(derive_rng(0, f"a2rbench/guesser/{purpose}", 0).getrandbits(32))


def form_of(item: dict[str, Any]) -> ItemForm:
    """Return the form of an item."""
    domain = name_domain(item["dimension"], item["type"])
    return ItemForm(domain, item["variation"], item["is_remapped"], shape_of(item["query"]))


def prompt_of(item: dict[str, Any]) -> str:
    """Return the prompt of an item."""
    return write_prompt(item["dimension"], [tuple(pair) for pair in item["examples"]], item["query"])


def read_reply(reply: str) -> str:
    """Return the answer of a reply as JSON."""
    read = read_answer(reply)
    assert read is not None
    return read.answer


if __name__ == "__main__":
    main(sys.argv[1:])
