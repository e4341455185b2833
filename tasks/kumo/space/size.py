"""The number of distinct instances of a domain and setting: exactly where it can be counted, else bounds.

An instance is what sampling calls one: a set of truths, a set of actions and an observed state of each, so
that exactly `n_valid` truths are ruled out by none of them; irrelevant actions occur only where the related
ones are used up. With a minimum of expected steps in (0, 1] every truth is related to some action of it.
A minimum above 1 needs the exact search of every instance: then the size is that before this filter.

Small spaces are counted whole. Of a large one, selections of truths (and of the valid ones among them) are
drawn; what each admits is counted exactly. Different selections share no instance, so that the sum over
distinct ones is a lower bound, and their mean times the number of selections an unbiased estimate.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, islice
from math import comb, sqrt
from operator import or_
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from schemas.ids import derive_rng
from schemas.kumo.things import Setting
from tasks.kumo.encoding import EncodedConfig

if TYPE_CHECKING:
    from tasks.kumo.space.counting import Counter
    from tasks.kumo.space.tables import SpaceTables

PURPOSE = "size of the instance space"

# In steps of the kernels' inner loops, of which a core makes some tens of millions a second.
_EXACT_WORK = 40_000_000
_SAMPLED_WORK = 20_000_000
_MOST_SELECTIONS = 400
_FEWEST_SELECTIONS = 10
_LARGEST_SUBSETS = 16
_MOST_FOURS = 40_000_000
_MOST_BOUNDED = 2_000
_BLOCK = 100_000


@dataclass(frozen=True, slots=True)
class SpaceSize:
    """How many instances exist: `low` to `high`, which are equal where all were counted.

    `estimate` and `standard_error` rest on `selections` drawn selections of truths, None where the size is
    exact or where the selections could not be counted. `is_filtered` is False where a minimum of expected
    steps above 1 was left aside: then fewer instances are drawn from than the size says, and the lower bound
    is one of the unfiltered space.
    """

    low: int
    high: int
    selections: int = 0
    estimate: float | None = None
    standard_error: float | None = None
    is_filtered: bool = True

    @property
    def is_exact(self) -> bool:
        """Whether all instances were counted."""
        return self.low == self.high

    def __str__(self) -> str:
        """Return the size in a sentence."""
        before = "" if self.is_filtered else " before the minimum of expected steps"
        if self.is_exact:
            return f"the space holds exactly {self.low:,} instances{before}"
        drawn = (
            ""
            if self.estimate is None
            else (f", by estimate {self.estimate:.2g} with a standard error of {self.standard_error:.1g}")
        )
        return (
            f"the space holds {_short(self.low)} to {_short(self.high)} instances{before}{drawn} "
            f"({self.selections:,} selections of truths counted)"
        )


def _short(number: int) -> str:
    """Return a whole number in three figures, rounded down."""
    text = str(number)
    return text if len(text) < 4 else f"{text[0]}.{text[1:3]}e{len(text) - 1}"


def space_size(encoded: EncodedConfig, setting: Setting, min_expected_steps: float, seed: int) -> SpaceSize:
    """Return the size of the instance space; a function of its arguments alone.

    `seed` draws the selections of truths where not all can be counted.
    """
    from tasks.kumo.space.counting import Counter
    from tasks.kumo.space.tables import space_tables

    tables = space_tables(encoded)
    counter = Counter(tables, setting, every_related=min_expected_steps > 0)
    is_filtered = min_expected_steps <= 1
    n_truths = len(encoded.truths)
    ways = comb(n_truths, setting.n_truths) * comb(setting.n_truths, setting.n_valid)
    high = _upper_bound(counter, n_truths)
    if _is_countable(tables, setting):
        exact = _exact(counter, n_truths, ways)
        if exact is not None:
            return SpaceSize(exact, exact, is_filtered=is_filtered)
        drawn = _drawn_selections(n_truths, setting, _affordable(counter), seed)
        counts = counter.of_selections(drawn)
        error = ways * stdev(counts) / sqrt(len(counts))
        return SpaceSize(sum(counts), high, len(counts), ways * fmean(counts), error, is_filtered)
    drawn = _drawn_selections(n_truths, setting, _MOST_SELECTIONS, seed)
    low = sum(_covered(tables, encoded, setting, counter.every_related, selection) for selection in drawn)
    return SpaceSize(low, high, len(drawn), is_filtered=is_filtered)


def _is_countable(tables: "SpaceTables", setting: Setting) -> bool:
    """Whether the kernels can count the instances of one selection of truths."""
    from tasks.kumo.space.counting import moduli_above
    from tasks.kumo.space.tables import choices

    if not tables.fits_kernels or setting.n_truths - setting.n_valid > _LARGEST_SUBSETS:
        return False
    if setting.n_valid > _LARGEST_SUBSETS:
        return False
    try:
        moduli_above(choices(list(tables.n_states), setting.n_actions))
    except ValueError:
        return False
    return True


def _exact(counter: "Counter", n_truths: int, ways: int) -> int | None:
    """Return the number of all instances where counting them takes no longer than it may."""
    if counter.can_count_four and ways <= _MOST_FOURS:
        return counter.of_all_fours()
    if ways * _work(counter) > _EXACT_WORK:
        return None
    selections = _all_selections(n_truths, counter.setting)
    total = 0
    while block := list(islice(selections, _BLOCK)):
        total += sum(counter.of_selections(block))
    return total


def _work(counter: "Counter") -> int:
    """Return the work of one selection: subsets of the invalid truths, and of the valid ones for each."""
    setting = counter.setting
    return (1 << setting.n_truths - setting.n_valid) * (
        8 + (1 << setting.n_valid if counter.every_related else 1) * (8 + setting.n_actions)
    )


def _affordable(counter: "Counter") -> int:
    return max(_FEWEST_SELECTIONS, min(_MOST_SELECTIONS, _SAMPLED_WORK // _work(counter)))


def _all_selections(n_truths: int, setting: Setting) -> Iterator[tuple[int, ...]]:
    """Yield all selections of truths, the valid ones first."""
    for truths in combinations(range(n_truths), setting.n_truths):
        for valid in combinations(truths, setting.n_valid):
            yield (*valid, *(truth for truth in truths if truth not in valid))


def _drawn_selections(n_truths: int, setting: Setting, wanted: int, seed: int) -> list[tuple[int, ...]]:
    """Return so many different selections, drawn uniformly; fewer where there are hardly more."""
    rng = derive_rng(seed, PURPOSE, 0)
    drawn: dict[tuple[int, ...], None] = {}
    for _ in range(10 * wanted):
        truths = rng.sample(range(n_truths), setting.n_truths)
        valid, invalid = truths[: setting.n_valid], truths[setting.n_valid :]
        drawn.setdefault((*sorted(valid), *sorted(invalid)))
        if len(drawn) == wanted:
            break
    return list(drawn)


def _upper_bound(counter: "Counter", n_truths: int) -> int:
    """Return the number of choices of truths, actions and states that rule out no valid truth."""
    setting = counter.setting
    rest = comb(n_truths - setting.n_valid, setting.n_truths - setting.n_valid)
    if comb(n_truths, setting.n_valid) > _MOST_BOUNDED:
        return comb(n_truths, setting.n_valid) * rest * counter.choices_with(())
    return rest * sum(counter.choices_with(valid) for valid in combinations(range(n_truths), setting.n_valid))


def _covered(
    tables: "SpaceTables",
    encoded: EncodedConfig,
    setting: Setting,
    every_related: bool,
    selection: tuple[int, ...],
) -> int:
    """Return a number of instances that the selection has at least: those that share one cover.

    A few actions, greedily chosen, rule out all invalid truths in one state each; the others that are
    related may show any state that rules out no valid truth. 0 where the greedy choice finds no cover.
    """
    from tasks.kumo.space.tables import choices

    valid = reduce(or_, (1 << truth for truth in selection[: setting.n_valid]), 0)
    truths = reduce(or_, (1 << truth for truth in selection), 0)
    left = [sum(not mask & valid for mask in masks) for masks in tables.masks]
    usable = [a for a, mask in enumerate(encoded.related) if mask & truths and left[a]]
    cover = _greedy_cover(tables, usable, truths & ~valid, valid)
    if cover is None:
        return 0
    if every_related:
        for truth in selection[: setting.n_valid]:
            if not any(encoded.related[a] >> truth & 1 for a in cover):
                cover |= {next((a for a in usable if encoded.related[a] >> truth & 1), -1)}
    if -1 in cover or len(cover) > setting.n_actions:
        return 0
    others = [left[a] for a in usable if a not in cover]
    further = min(setting.n_actions - len(cover), len(others))
    irrelevant = [tables.n_states[a] for a, mask in enumerate(encoded.related) if not mask & truths]
    return choices(others, further) * choices(irrelevant, setting.n_actions - len(cover) - further)


def _greedy_cover(
    tables: "SpaceTables", usable: list[int], uncovered: int, valid: int
) -> frozenset[int] | None:
    cover: set[int] = set()
    while uncovered:
        gain, action, mask = (
            max(
                ((mask & uncovered).bit_count(), -a, mask)
                for a in usable
                if a not in cover
                for mask in tables.masks[a]
                if not mask & valid
            )
            if set(usable) - cover
            else (0, 0, 0)
        )
        if not gain:
            return None
        cover.add(-action)
        uncovered &= ~mask
    return frozenset(cover)
