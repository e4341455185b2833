"""Which instances a part of an edition holds: each is spread over settings and domains."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.flows.stages.play_episodes import spread_instances

SIZES = st.dictionaries(
    st.tuples(st.sampled_from(["easy", "hard", "huge"]), st.sampled_from("abcdefgh")),
    st.integers(1, 12),
    min_size=1,
)


def _make(sizes: dict[tuple[str, str], int]) -> list[tuple[str, str, str]]:
    return [
        (setting, domain, f"{setting}/{domain}/{number}")
        for (setting, domain), size in sizes.items()
        for number in range(size)
    ]


@pytest.mark.slow
@given(SIZES, st.integers(0, 2**32))
def test_each_beginning_has_its_share_of_every_setting_and_domain(
    sizes: dict[tuple[str, str], int], seed: int
) -> None:
    instances = _make(sizes)
    order = spread_instances(instances, seed)
    assert sorted(order) == sorted(id_ for *_, id_ in instances)
    assert order == spread_instances(reversed(instances), seed)
    held = Counter[str]()
    for setting, _ in sizes:
        held[setting] = sum(size for (of, _), size in sizes.items() if of == setting)
    taken, cells = Counter[str](), Counter[tuple[str, str]]()
    for n, id_ in enumerate(order, 1):
        setting, domain, _ = id_.split("/")
        taken[setting] += 1
        cells[setting, domain] += 1
        for name, size in held.items():
            assert abs(taken[name] - n * size / len(order)) < 1, (n, name)
        for (one, first), (two, other) in product(sizes, repeat=2):
            if one == two:
                # Nobody of a setting has another one more than its size allows (Webster's condition).
                more, less = cells[one, first], cells[two, other]
                assert (2 * more - 1) * sizes[two, other] <= (2 * less + 1) * sizes[one, first]


def test_forty_domains_and_two_settings_are_all_in_the_first_forty() -> None:
    domains = [f"d{number:02}" for number in range(40)]
    order = spread_instances(_make({(s, d): 5 for s in ("easy", "hard") for d in domains}), 7)
    for n, each in ((40, 20), (41, 20), (79, 39), (80, 40), (400, 200)):
        settings = Counter(id_.split("/")[0] for id_ in order[:n])
        assert settings == {"easy": n - n // 2, "hard": each}
        counts = Counter(id_.split("/")[1] for id_ in order[:n])
        assert set(counts) == set(domains)
        assert max(counts.values()) - min(counts.values()) <= (n % 40 > 0)


def test_the_seed_decides_which_domains_and_instances_come_first() -> None:
    instances = _make({("easy", domain): 30 for domain in "abcdefgh"})
    firsts = {tuple(spread_instances(instances, seed)[:8]) for seed in range(20)}
    assert len(firsts) == 20
    assert {domain for first in firsts for _, domain, _ in [first[0].split("/")]} > {"a", "h"}
