"""Rates of A2RBench's programs that infer no rule, on a drawn edition.

By hand: `python -m tests.benchmarks.a2rbench_guesser [SEED]`.
"""

import sys
from collections import defaultdict

from perennial.schemas.a2rbench.things import name_domain
from perennial.schemas.ids import canonical_json
from perennial.tasks.a2rbench.item_text import write_prompt
from perennial.tasks.a2rbench.players import copy_nearest, look_up, repeat_query
from perennial.tasks.a2rbench.replies import read_answer
from tests.benchmarks.a2rbench_draw import draw_items

PLAYERS = {"guesser": look_up, "identity": repeat_query, "nearest": copy_nearest}


def main(seed: int) -> None:
    """Print the rate of each program over all items, each cell and each variation."""
    cells: defaultdict[str, list[list[bool]]] = defaultdict(list)
    for item in draw_items(seed):
        prompt = write_prompt(item["dimension"], [tuple(pair) for pair in item["examples"]], item["query"])
        replies = [read_answer(player(prompt)) for player in PLAYERS.values()]
        right = [read is not None and read.answer == canonical_json(item["answer"]) for read in replies]
        for cell in ("all", name_domain(item["dimension"], item["type"]), f"V{item['variation']}"):
            cells[cell].append(right)
    print(f"{'':<16}{'items':>6}" + "".join(f"{name:>10}" for name in PLAYERS))
    for cell, rows in sorted(cells.items()):
        rates = (sum(column) / len(rows) for column in zip(*rows, strict=True))
        print(f"{cell:<16}{len(rows):>6,}" + "".join(f"{rate:>10.4f}" for rate in rates))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 0)
