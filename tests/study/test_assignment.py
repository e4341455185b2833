"""Assignment: never twice to one person, balanced over settings and domains, instances used evenly."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption
from perennial.tasks.study import assign, choose_tutorial, require_enough


@given(
    n_settings=st.integers(1, 3),
    n_domains=st.integers(1, 7),
    each=st.integers(1, 8),
    spare=st.integers(0, 5),
    people=st.integers(1, 25),
    seed=st.integers(0, 2**63),
)
def test_nobody_meets_an_instance_twice_and_all_are_used_evenly(
    n_settings: int, n_domains: int, each: int, spare: int, people: int, seed: int
) -> None:
    settings = [f"s{i}" for i in range(n_settings)]
    domains = [f"d{i}" for i in range(n_domains)]
    size = -(-each // n_domains) + spare
    pool = {(s, d): [f"{s}/{d}/{i}" for i in range(size)] for s in settings for d in domains}
    tasks = each * n_settings
    require_enough(pool, settings, domains, tasks)
    used: Counter[str] = Counter()
    for person in range(people):
        got = assign(pool, settings, domains, tasks, seed, person)
        assert len(set(got)) == len(got) == tasks
        by_setting = Counter(one.split("/")[0] for one in got)
        assert set(by_setting.values()) == {each}
        by_domain = Counter(one.split("/")[1] for one in got)
        assert max(by_domain.values()) - min(by_domain[d] for d in domains) <= 1
        used.update(got)
    for setting in settings:
        counts = [used[one] for domain in domains for one in pool[setting, domain]]
        assert max(counts) - min(counts) <= 1
        by_cell = [sum(used[one] for one in pool[setting, domain]) for domain in domains]
        assert max(by_cell) - min(by_cell) <= 1


def test_the_papers_task_set_is_five_easy_and_five_hard_ones_over_five_domains() -> None:
    domains = ["Medical", "Education", "Music", "Fantasy", "Chemical"]
    pool = {(s, d): [f"{s}/{d}/{i}" for i in range(50)] for s in ("easy", "hard") for d in domains}
    got = assign(pool, ("easy", "hard"), domains, 10, 1, 0)
    assert Counter(tuple(one.split("/")[:2]) for one in got) == dict.fromkeys(pool, 1)
    # 50 people meet each of the 500 instances once.
    everybody = [
        one for person in range(50) for one in assign(pool, ("easy", "hard"), domains, 10, 1, person)
    ]
    assert Counter(everybody) == {one: 1 for ids in pool.values() for one in ids}


def test_assignment_is_of_seed_and_number_alone() -> None:
    pool = {("easy", "d"): [f"i{i}" for i in range(20)]}
    reversed_pool = {("easy", "d"): pool["easy", "d"][::-1]}
    assert assign(pool, ["easy"], ["d"], 5, 7, 2) == assign(reversed_pool, ["easy"], ["d"], 5, 7, 2)
    assert assign(pool, ["easy"], ["d"], 5, 7, 2) != assign(pool, ["easy"], ["d"], 5, 8, 2)
    assert choose_tutorial(pool, ("easy", "d"), 7) == choose_tutorial(reversed_pool, ("easy", "d"), 7)


def test_too_few_instances_are_refused() -> None:
    pool = {("easy", "a"): ["1", "2"], ("easy", "b"): ["3"]}
    with pytest.raises(InvalidOption, match=r"domain 'b' has 1 instances .* expected at least 2 for 4 tasks"):
        require_enough(pool, ["easy"], ["a", "b"], 4)
