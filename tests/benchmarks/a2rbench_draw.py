"""The items that an edition of a seed has, drawn here without a refresh, as plain values."""

import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from perennial.schemas.a2rbench.things import DOMAINS
from perennial.tasks.a2rbench.grammar import draw_rules
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.sandbox.tier import find_protection

SEEDS = 12


def draw_items(seed: int) -> list[dict[str, Any]]:
    """Return the items of 12 seeds of each cell, each of a drawn rule; print those that are missing."""
    seeds = [(domain, number) for domain in DOMAINS for number in range(SEEDS)]
    with ProcessPoolExecutor(2) as pool:
        drawn = pool.map(partial(_draw, seed), seeds, chunksize=6)
        return [item for items in drawn for item in items]


def _draw(seed: int, place: tuple[str, int]) -> list[dict[str, Any]]:
    domain, number = place
    rule = draw_rules(domain, seed, SEEDS)[number]
    grown = grow_seed(SeedRequest(rule, number, range(10), True, seed, find_protection().jail))
    for each in grown.rejected:
        print(f"{rule.name} seed {number} V{each.variation}: {each.rule}: {each.why}", flush=True)
    return [
        {
            **{column: getattr(item, column) for column in ("rule", "type", "dimension", "variation")},
            **{column: json.loads(getattr(item, column)) for column in ("examples", "query", "answer")},
        }
        for item in grown.items
    ]
