"""The small edition of `made_edition` with a model's rule beside the catalogue's: items, steps, play."""

from dataclasses import asdict
from functools import lru_cache

from perennial.flows.a2rbench.edition import shared_row
from perennial.tasks.a2rbench.growing import SeedRequest, write_items
from perennial.tasks.a2rbench.items import check_items
from perennial.tasks.sandbox.tier import find_protection
from tests.a2rbench import made_edition
from tests.a2rbench.authored_rules import AUTHOR, SWAP, rule_row
from tests.a2rbench.expansion.expanding import Asking, expand
from tests.a2rbench.made_edition import Rows

VARIATIONS = (0, 1, 4)
# Of the model's rule: no seed of the catalogue has it.
NUMBER = 50


@lru_cache(maxsize=1)
def authored_rows() -> Rows:
    """Return the rows that the model's rule adds."""
    expansion = expand(Asking({"judge 0": "refuses"}), SWAP, VARIATIONS)
    jail = find_protection().jail
    grown = write_items(SeedRequest(SWAP, NUMBER, VARIATIONS, True, 3, jail), expansion.drawn)
    assert len(grown.items) == 2 * len(VARIATIONS)
    counts = asdict(check_items(SWAP, grown.items, jail, (3,)))
    assert counts.pop("faults") == []
    place = {"domain": "line_symbolic", "number": NUMBER, "candidate": 1, "author": AUTHOR}
    tier = find_protection().tier
    rows: Rows = {
        "a2rbench_rules": [rule_row(SWAP, NUMBER)],
        # The calls of the test are in no ledger.
        "a2rbench_attempts": [{**place, **asdict(each), "call_id": None} for each in expansion.attempts],
        "a2rbench_items": list(map(asdict, grown.items)),
        "instances": [shared_row(item, NUMBER, 3) for item in grown.items],
        "a2rbench_gate": [{"domain": "line_symbolic", "rule": SWAP.name, **counts, "tier": tier}],
        **{name: [] for name in ("episodes", "turns", "a2rbench_answers")},
    }
    made_edition.play(rows, grown.items)
    return rows


def rows() -> Rows:
    """Return the rows of every staged table."""
    made = made_edition.rows()
    for name, added in authored_rows().items():
        made[name] += added
    return made
