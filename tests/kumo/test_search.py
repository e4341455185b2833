"""The exact search gives Algorithm 3's values and the play of its policy."""

import json
import random
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import InvalidOption
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedInstance, encode_config, encode_instance, parse_instances
from perennial.tasks.kumo.search import solve as search
from perennial.tasks.kumo.search.solve import Solution, solve_instances
from tests.kumo.plain_search import PlainSearch

EASY = "truth_num=4+action_num=6+valid_truth_num=1.jsonl"
HARD = "truth_num=12+action_num=16+valid_truth_num=1.jsonl"
TIE = 1e-9
ROUNDING = 1e-12  # around TIE, where rounding decides whether two actions are equally good

quick = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def solve(instance: EncodedInstance) -> Solution:
    return solve_instances([instance])[0]


def assert_as_algorithm_3(instance: EncodedInstance, solution: Solution) -> None:
    plain = PlainSearch(instance)
    truths, actions = plain.all_truths, plain.all_actions
    assert solution.status == "solved"
    assert solution.expected_steps == pytest.approx(plain.expected_steps(truths, actions), abs=1e-12)
    assert solution.optimal_tests == len(solution.golden_actions)
    for action in solution.golden_actions:
        assert not plain.is_base_case(truths, actions)
        least = plain.expected_steps(truths, actions)
        steps = {a: plain.action_steps(truths, actions, a) for a in actions if a <= action}
        assert steps.pop(action) <= least + TIE + ROUNDING
        assert all(value > least + TIE - ROUNDING for value in steps.values())
        truths, actions = plain.observe(truths, action), actions - {action}
    assert plain.is_base_case(truths, actions)
    assert solution.golden_answer == plain.base_case_answer(truths, actions)


def synthetic(
    n_truths: int, n_actions: int, density: float, seed: int, repeated: float = 0.0
) -> EncodedInstance:
    """An instance whose states rule out a truth with probability `density`, a quarter of them none at all.

    An action is a copy of an earlier one, its states in another order, with probability `repeated`.
    """
    rng = random.Random(seed)
    masks: list[tuple[int, ...]] = []
    for _ in range(n_actions):
        if masks and rng.random() < repeated:
            earlier = rng.choice(masks)
            masks.append(tuple(rng.sample(earlier, len(earlier))))
        else:
            masks.append(
                tuple(_random_mask(rng, n_truths, density) for _ in range(rng.choice([1, 2, 2, 3, 5])))
            )
    observed = tuple(rng.randrange(-1, len(states)) for states in masks)
    return EncodedInstance(n_truths, tuple(masks), observed, valid=1)


def _random_mask(rng: random.Random, n_truths: int, density: float) -> int:
    if rng.random() < 0.25:
        return 0
    return sum(1 << t for t in range(n_truths) if rng.random() < density)


def instances(n_truths: tuple[int, int], n_actions: tuple[int, int]) -> st.SearchStrategy[EncodedInstance]:
    return st.builds(
        synthetic,
        n_truths=st.integers(*n_truths),
        n_actions=st.integers(*n_actions),
        density=st.sampled_from([0.15, 0.25, 0.35, 0.5, 0.8]),
        seed=st.integers(0, 2**32),
        repeated=st.sampled_from([0.0, 0.0, 0.3, 0.7]),
    )


NO_ACTION = EncodedInstance(3, (), (), 1)
NO_TRUTH = EncodedInstance(0, ((0, 0),), (0,), 0)
ALL_RULED_OUT = EncodedInstance(2, ((3, 3), (1, 2)), (0, 0), 1)
NOTHING_OBSERVED = EncodedInstance(3, ((3, 4), (1, 6), (5, 2)), (-1, -1, -1), 1)


@given(instances((1, 5), (0, 7)))
@example(NO_ACTION)
@example(NO_TRUTH)
@example(ALL_RULED_OUT)
@example(NOTHING_OBSERVED)
@settings(quick, max_examples=120)
def test_small_instances_are_solved_as_by_algorithm_3(instance: EncodedInstance) -> None:
    assert_as_algorithm_3(instance, solve(instance))


@pytest.mark.slow
@given(instances((6, 9), (7, 9)))
@settings(quick, max_examples=40)
def test_larger_instances_are_solved_as_by_algorithm_3(instance: EncodedInstance) -> None:
    assert_as_algorithm_3(instance, solve(instance))


def test_two_steps_are_counted_as_the_paper_counts_them() -> None:
    # Four truths, halved twice: 1 + 2 * 2 / (4 + 1e-9) * 1 expected steps, and the second step is certain.
    halves = EncodedInstance(4, ((0b0011, 0b1100), (0b0101, 0b1010)), (0, 1), 0b0100)
    solution = solve(halves)
    assert solution.expected_steps == pytest.approx(1 + 4 / (4 + 1e-9), abs=1e-15)
    assert (solution.golden_actions, solution.golden_answer) == ((0, 1), 2)


@pytest.mark.slow
@given(instances((2, 5), (1, 7)), st.integers(0, 57))
@settings(quick, max_examples=60)
def test_actions_related_to_no_truth_change_nothing(instance: EncodedInstance, before: int) -> None:
    after = 64 - before - len(instance.masks)
    idle = ((0, 0),)
    padded = EncodedInstance(
        instance.n_truths,
        idle * before + instance.masks + idle * after,
        (0,) * before + instance.observed + (0,) * after,
        instance.valid,
    )
    alone, among = solve(instance), solve(padded)
    assert among.expected_steps == alone.expected_steps
    assert among.golden_actions == tuple(before + action for action in alone.golden_actions)
    assert among.golden_answer == alone.golden_answer


def test_64_truths_and_64_actions_are_accepted() -> None:
    everything = (1 << 64) - 1
    pairs = tuple((3 << t, 0) for t in range(63))
    decisive = tuple(everything ^ (1 << t) for t in range(64))
    solution = solve(EncodedInstance(64, (*pairs, decisive), (0,) * 63 + (63,), 1 << 63))
    assert solution == Solution("solved", 1.0, (63,), 63)


@pytest.mark.parametrize(
    ("instance", "named"),
    [
        (EncodedInstance(65, ((1, 2),), (0,), 1), "65 truths"),
        (EncodedInstance(2, ((1, 2),) * 65, (0,) * 65, 1), "65 actions"),
    ],
)
def test_more_than_64_are_refused(instance: EncodedInstance, named: str) -> None:
    with pytest.raises(InvalidOption, match=rf"{named}.* 64 at most"):
        solve_instances([instance])


def test_past_the_time_limit_there_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_SLICE_BUDGET", 20_000)
    hard, easy = synthetic(12, 20, 0.2, seed=0), synthetic(4, 6, 0.5, seed=1)
    in_time = solve_instances([easy, hard, easy])
    late = solve_instances([easy, hard, easy], time_limit=1e-6)
    assert [solution.status for solution in in_time] == ["solved"] * 3
    assert late == [in_time[0], Solution("time_limit", None, (), None), in_time[2]]
    assert late[1].optimal_tests is None


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_time_limit_is_a_positive_number(limit: float) -> None:
    with pytest.raises(InvalidOption, match="time limit"):
        solve_instances([], time_limit=limit)


def encoded_instances(release: Path, domain: str, setting: str, limit: int | None) -> list[EncodedInstance]:
    encoded = encode_config(parse_config((release / "domains" / f"{domain}.json").read_text(), domain))
    lines = (release / "instances" / domain / setting).read_text().splitlines()
    drawn = islice(parse_instances(lines, encoded, domain), limit)
    return [encode_instance(encoded, instance) for instance in drawn]


@pytest.mark.slow
def test_released_easy_instances_of_every_domain(release: Path) -> None:
    domains = sorted(path.name for path in (release / "instances").iterdir())
    batch = [instance for domain in domains for instance in encoded_instances(release, domain, EASY, limit=8)]
    assert len(batch) == 8 * 65
    for instance, solution in zip(batch, solve_instances(batch), strict=True):
        assert_as_algorithm_3(instance, solution)


@pytest.mark.slow
def test_released_hard_instances_have_the_authors_values(release: Path) -> None:
    for expected in json.loads((release / "expected_steps_hard.json").read_text()):
        batch = encoded_instances(release, expected["domain"], HARD, limit=None)
        found = solve(batch[expected["seed"]]).expected_steps
        assert found == pytest.approx(expected["expected_steps"], abs=1e-12)


def test_threads_change_nothing() -> None:
    batch = [synthetic(8, 10, 0.3, seed) for seed in range(11)]
    told: list[int] = []
    assert solve_instances(batch, progress=told.append, threads=3) == solve_instances(batch)
    assert told == sorted(told)
    assert told[-1] == len(batch)
    assert solve_instances([], threads=2) == []


def test_a_work_limit_gives_up_the_same_instances_whatever_stands_beside_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "_SLICE_BUDGET", 20_000)
    batch = [synthetic(n_truths, 20, 0.15, seed) for seed in range(2) for n_truths in (6, 14)]
    together = solve_instances(batch, work_limit=2)
    late = [solution.expected_steps is None for solution in together]
    assert any(late)
    assert not all(late)
    assert solve_instances(batch[::-1], work_limit=2, threads=2)[::-1] == together
    assert [solve_instances([instance], work_limit=2)[0] for instance in batch] == together


def test_a_work_limit_is_reached_after_so_many_slices_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    # This search takes some 290,000 steps.
    monkeypatch.setattr(search, "_SLICE_BUDGET", 30_000)
    found = [solve_instances([synthetic(12, 20, 0.2, 0)], work_limit=limit)[0].status for limit in (9, 10)]
    assert found == ["time_limit", "solved"]


def test_a_work_limit_that_could_not_be_counted_alike_is_refused() -> None:
    with pytest.raises(InvalidOption, match="work limit 1"):
        solve_instances([synthetic(3, 3, 0.3, 0)], work_limit=1)
