"""Where sampling ends: exhausted, unsatisfiable, undecided and impossible requests."""

import math
from dataclasses import replace

import pytest

from perennial.schemas.errors import InstancesExhausted, InvalidOption, UnsatisfiableSetting
from perennial.schemas.kumo.things import Setting
from perennial.tasks.kumo.encoding import encode_instance
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.sampling.solver import can_differ
from tests.kumo.test_sampling import EASY, WIDE, tiny

# Each instance of two truths and one action: t0 and t1 by a0, t2 and t3 by a1, in either direction.
# With the first two actions t0 alone can survive; with the third and the first, t1 can too.
MIXED = tiny((("t1", "t2"), ("t0",)), (("t0",), ("t1", "t2")), (("t1",), ("t0", "t2"), ()), n_truths=3)
PAIRS = tiny((("t0",), ("t1",)), (("t2",), ("t3",)))


def test_more_than_exist_names_how_many_exist() -> None:
    sample = sample_instances(PAIRS, SamplingRequest(Setting(2, 1), 50, 0))
    assert isinstance(sample.shortfall, InstancesExhausted)
    assert len(sample.ids) == 4
    text = str(sample.shortfall)
    assert (
        "domain 'Tiny', setting 2x1: 4 distinct instances exist, 50 new ones were asked for and 4 found"
        in text
    )
    assert "ask for 4 at most" in text


def test_more_than_exist_names_how_many_were_issued_earlier() -> None:
    every = sample_instances(PAIRS, SamplingRequest(Setting(2, 1), 50, 0)).ids
    rest = sample_instances(PAIRS, SamplingRequest(Setting(2, 1), 2, 0), known_ids={*every[:3], "ki_else"})
    assert rest.ids == every[3:]
    assert "4 distinct instances exist (3 of them issued earlier), 2 new ones" in str(rest.shortfall)
    none = sample_instances(PAIRS, SamplingRequest(Setting(2, 1), 2, 0), known_ids=set(every))
    assert none.ids == ()
    assert isinstance(none.shortfall, InstancesExhausted)
    assert "(4 of them issued earlier)" in str(none.shortfall)


def test_a_setting_without_instances_is_proved_and_refused() -> None:
    sample = sample_instances(PAIRS, SamplingRequest(Setting(4, 1), 5, 0, 0.0))
    assert isinstance(sample.shortfall, UnsatisfiableSetting)
    assert "domain 'Tiny', setting 4x1: no instance exists" in str(sample.shortfall)
    assert sample.instances == ()


def test_too_few_rules_are_proved_to_be_too_few() -> None:
    one_each = tiny(*(((f"t{i}",), ()) for i in range(30)), n_truths=30)
    sample = sample_instances(one_each, SamplingRequest(Setting(12, 5), 5, 0, 0.0))
    assert isinstance(sample.shortfall, UnsatisfiableSetting)


def test_a_solver_at_its_limit_makes_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    overlapping = tiny(*((("t0", "t1", "t2", f"t{i}"), ()) for i in range(3, 15)), n_truths=20)
    request = SamplingRequest(Setting(12, 6), 5, 0, 0.0)
    assert isinstance(sample_instances(overlapping, request).shortfall, UnsatisfiableSetting)
    monkeypatch.setattr("perennial.tasks.kumo.sampling.solver._INSTANCE_CONFLICTS", 1)
    sample = sample_instances(overlapping, request)
    assert isinstance(sample.shortfall, InstancesExhausted)
    assert "is not proved" in str(sample.shortfall)


def test_a_minimum_that_no_instance_reaches_is_told_apart() -> None:
    unrelated = tiny((("t0",), ()), n_truths=2)
    assert sample_instances(unrelated, SamplingRequest(Setting(2, 1), 1, 0, 0.0)).shortfall is None
    sample = sample_instances(unrelated, SamplingRequest(Setting(2, 1), 1, 0, 1.0))
    assert isinstance(sample.shortfall, UnsatisfiableSetting)
    assert "expected steps of 1 or more" in str(sample.shortfall)
    assert "min_expected_steps 0" in str(sample.shortfall)


@pytest.mark.slow
@pytest.mark.parametrize("least", [1.5, 2.0])
def test_a_minimum_above_one_is_decided_by_the_search(least: float) -> None:
    from perennial.tasks.kumo.search.solve import solve_instances

    sample = sample_instances(WIDE, SamplingRequest(EASY, 40, 9, least))
    solutions = solve_instances([encode_instance(WIDE, instance) for instance in sample.instances])
    steps = [solution.expected_steps or 0.0 for solution in solutions]
    assert len(steps) == 40
    assert min(steps) >= least - 1e-6
    assert sample.counts.too_easy > 0


@pytest.mark.slow
def test_a_minimum_that_is_never_met_is_given_up_without_a_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perennial.tasks.kumo.sampling.collect._MAX_MISSES", 50)
    sample = sample_instances(WIDE, SamplingRequest(EASY, 4, 9, 4.0))
    assert isinstance(sample.shortfall, InstancesExhausted)
    assert "4 new instances were asked for and 0 found" in str(sample.shortfall)
    assert "is not proved" in str(sample.shortfall)


@pytest.mark.slow
def test_a_minimum_that_no_instance_reaches_by_search_is_proved_by_enumeration() -> None:
    sample = sample_instances(PAIRS, SamplingRequest(Setting(3, 2), 1, 0, 2.0))
    assert isinstance(sample.shortfall, UnsatisfiableSetting)
    assert sample.counts.too_easy > 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"setting": Setting(4, 6, 4)}, "4 valid truths of 4"),
        ({"setting": Setting(4, 6, 0)}, "0 valid truths"),
        ({"setting": Setting(71, 6)}, "71 truths, but domain 'Wide' has 70"),
        ({"setting": Setting(4, 35)}, "35 actions, but domain 'Wide' has 34"),
        ({"setting": Setting(4, 0)}, "0 actions"),
        ({"count": 0}, "count 0"),
        ({"first_index": -1}, "first_index -1"),
        ({"min_expected_steps": 6.5}, "min_expected_steps 6.5"),
        ({"min_expected_steps": -0.1}, "min_expected_steps -0.1"),
        ({"min_expected_steps": math.nan}, "min_expected_steps nan"),
    ],
)
def test_impossible_requests_are_refused_at_once(changes: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidOption) as error:
        sample_instances(WIDE, replace(SamplingRequest(EASY, 1, 0), **changes))  # type: ignore[arg-type]
    assert words in str(error.value)
    with pytest.raises(InvalidOption, match="workers 0"):
        sample_instances(WIDE, SamplingRequest(EASY, 1, 0), workers=0)


# By either action t0 is left alone; t1 and t2 are always left together.
DECIDED = tiny((("t1", "t2"), ("t0",)), n_truths=3)


def test_instances_that_need_no_test_are_left_out_and_counted() -> None:
    every = sample_instances(MIXED, SamplingRequest(Setting(3, 2), 99, 0))
    needed = sample_instances(MIXED, SamplingRequest(Setting(3, 2), 99, 0, require_test=True))
    can = {
        instance_id
        for instance_id, instance in zip(every.ids, every.instances, strict=True)
        if can_differ(encode_instance(MIXED, instance))
    }
    assert 0 < len(can) < len(every.ids)
    assert set(needed.ids) == can
    assert needed.counts.too_easy > 0
    assert f"{len(can)} distinct instances exist, 99 new ones" in str(needed.shortfall)


def test_that_no_instance_needs_a_test_is_proved() -> None:
    request = SamplingRequest(Setting(3, 1), 5, 0)
    assert len(sample_instances(DECIDED, request).ids) == 1
    sample = sample_instances(DECIDED, replace(request, require_test=True))
    assert isinstance(sample.shortfall, UnsatisfiableSetting)
    assert "answer of all 1 instances without any test, as was proved" in str(sample.shortfall)
    assert "--no-require-test" in str(sample.shortfall)


def test_a_required_test_needs_masks() -> None:
    request = SamplingRequest(Setting(65, 6), 1, 0, require_test=True)
    with pytest.raises(InvalidOption, match=r"65 truths and 6 actions: .* for 64 of each at most"):
        sample_instances(WIDE, request)
