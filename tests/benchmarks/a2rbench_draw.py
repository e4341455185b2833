"""The items that an edition of a seed has, drawn here without a refresh, as plain values."""

import json
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from perennial.flows.a2rbench.edition import rules_of
from perennial.schemas.a2rbench.things import DOMAINS
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.sandbox.tier import find_protection

SEEDS = 12
_SHOWN = ("rule", "type", "dimension", "variation", "is_remapped")


def draw_items(seed: int, names: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Return the items of 12 seeds of each cell, or of the seeds of some rules; missing ones are printed."""
    seeds = [
        (rules_of(domain, seed)[number % len(rules_of(domain, seed))].name, number)
        for domain in DOMAINS
        for number in range(SEEDS)
    ]
    chosen = [each for each in seeds if not names or each[0] in names]
    with ProcessPoolExecutor(2) as pool:
        return [item for items in pool.map(partial(_draw, seed), chosen, chunksize=6) for item in items]


def _draw(seed: int, place: tuple[str, int]) -> list[dict[str, Any]]:
    name, number = place
    grown = grow_seed(SeedRequest(RULES[name], number, range(10), True, seed, find_protection().jail))
    for each in grown.rejected:
        print(f"{name} seed {number} V{each.variation}: {each.rule}: {each.why}", flush=True)
    return [
        {
            **{column: getattr(item, column) for column in _SHOWN},
            **{column: json.loads(getattr(item, column)) for column in ("examples", "query", "answer")},
            "rejected_draws": item.rejected_draws,
        }
        for item in grown.items
    ]
