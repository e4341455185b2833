"""How many balanced lists of truths and actions there are, of which an edition takes none twice.

The balanced sampler draws them uniformly among the accepted ones, so that their number alone decides how
probable a repeat is. Where all lists are few, each is looked at; else a sample of fixed draws bounds the
share of the accepted ones (Clopper and Pearson, 1934), each side with a probability of error of one in 10^9.
Import this module lazily: it loads numba.
"""

from itertools import combinations, product
from math import ceil, comb, floor

import numpy as np

from schemas.ids import derive_seed
from schemas.kumo.things import Setting
from tasks.kumo.encoding import EncodedConfig
from tasks.kumo.sampling.balanced.boards import are_balanced, draw_boards
from tasks.kumo.sampling.construct import Tables
from tasks.kumo.sampling.tables import SamplingTables
from tasks.kumo.space.size import SpaceSize

_FEW = 20_000
_SAMPLES = (2_000, 40_000)  # the larger one where the smaller one accepts too few
_ENOUGH = 200
_ERROR = 1e-9


def count_boards(encoded: EncodedConfig, setting: Setting, min_expected_steps: float) -> SpaceSize:
    """Return the number of balanced lists of a setting; a function of its arguments alone."""
    tables = SamplingTables(encoded).kernel
    usable = np.flatnonzero(np.diff(tables.action_start) > 0)
    total = comb(len(encoded.truths), setting.n_truths) * comb(len(usable), setting.n_actions)
    is_filtered = min_expected_steps <= 1
    if total <= _FEW:
        truths = combinations(range(len(encoded.truths)), setting.n_truths)
        boards = list(product(truths, combinations(usable.tolist(), setting.n_actions)))
        listed = [np.array(column, np.int32).reshape(len(boards), -1) for column in zip(*boards, strict=True)]
        number = int(are_balanced(tables, *listed).sum()) if boards else 0
        return SpaceSize(number, number, is_filtered, of_boards=True)
    from scipy.stats import beta

    for size in _SAMPLES:
        accepted = _count_accepted(encoded, tables, setting, size)
        if accepted >= _ENOUGH:
            break
    low = beta.ppf(_ERROR, accepted, size - accepted + 1) if accepted else 0.0
    high = beta.isf(_ERROR, accepted + 1, size - accepted) if accepted < size else 1.0
    return SpaceSize(floor(total * float(low)), ceil(total * float(high)), is_filtered, of_boards=True)


def _count_accepted(encoded: EncodedConfig, tables: Tables, setting: Setting, size: int) -> int:
    seed = derive_seed(0, f"kumo space/{encoded.config.config_id}/{setting.name}", 0)
    indices = np.arange(size)
    places = np.zeros(size, np.int64)
    shape = (setting.n_truths, setting.n_actions)
    _, _, attempts = draw_boards(tables, shape, np.full(size, seed, np.uint64), indices, places, 1)
    return int((attempts >= 0).sum())
