"""The items that an edition of a seed has, drawn here without a refresh, as plain values."""

import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from perennial.flows.a2rbench.edition import shuffle_catalogue
from perennial.schemas.a2rbench.things import CATALOGUE, DOMAINS, DRAWN
from perennial.tasks.a2rbench.catalogue import Rule
from perennial.tasks.a2rbench.grammar import draw_rules
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.sandbox.tier import find_protection

SEEDS = 12
_SHOWN = ("rule", "type", "dimension", "variation", "is_remapped")


def draw_items(seed: int, author: str = DRAWN) -> list[dict[str, Any]]:
    """Return the items of 12 seeds of each cell, of drawn rules or the catalogue's; print the missing."""
    seeds = [(domain, number) for domain in DOMAINS for number in range(SEEDS)]
    with ProcessPoolExecutor(2) as pool:
        drawn = pool.map(partial(_draw, seed, author), seeds, chunksize=6)
        return [item for items in drawn for item in items]


def find_rules(domain: str, seed: int, author: str) -> list[Rule]:
    """Return the rules of the seeds of a cell, in order."""
    if author == CATALOGUE:
        rules = shuffle_catalogue(domain, seed)
        return [rules[number % len(rules)] for number in range(SEEDS)]
    return draw_rules(domain, seed, SEEDS)


def _draw(seed: int, author: str, place: tuple[str, int]) -> list[dict[str, Any]]:
    domain, number = place
    rule = find_rules(domain, seed, author)[number]
    grown = grow_seed(SeedRequest(rule, number, range(10), True, seed, find_protection().jail))
    for each in grown.rejected:
        print(f"{rule.name} seed {number} V{each.variation}: {each.rule}: {each.why}", flush=True)
    return [
        {
            **{column: getattr(item, column) for column in _SHOWN},
            **{column: json.loads(getattr(item, column)) for column in ("examples", "query", "answer")},
            "rejected_draws": item.rejected_draws,
        }
        for item in grown.items
    ]
