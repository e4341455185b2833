"""Reports that can be wrong: exact probabilities and the best play, against sums over all that can be."""

from collections.abc import Mapping
from functools import cache
from itertools import product

import pytest

from perennial.flows.kumo.seats import draw_seat
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import USUAL
from perennial.schemas.ids import derive_rng
from perennial.schemas.kumo.plan import RELIABILITIES, fits_plan, order_reliabilities, versions_reported
from perennial.tasks.kumo.belief import Reporter, believe, plan_best_play
from perennial.tasks.kumo.encoding import encode_config
from perennial.tasks.kumo.reliability import Case, read_probability, state_probability

# Truths a, b, c: the second action tells b from c, the others strike single truths.
MASKS = ((0b001, 0b010, 0b000), (0b010, 0b100), (0b001, 0b110, 0b100))
CASES = [
    Case(3, MASKS, reliability, is_balanced)
    for reliability in (0.55, 0.8, 0.99)
    for is_balanced in (True, False)
]


def _worlds(case: Case) -> dict[tuple[int, tuple[int, ...]], float]:
    """Return the prior probability of each truth with each choice of states that leaves it alone."""
    found: dict[tuple[int, tuple[int, ...]], float] = {}
    for truth, choice in product(range(case.n_truths), product(*map(range, case.states))):
        struck = 0
        for masks, state in zip(case.masks, choice, strict=True):
            struck |= masks[state]
        if struck == (1 << case.n_truths) - 1 - (1 << truth):
            found[truth, choice] = 1.0
    for truth in range(case.n_truths):
        alone = [world for world in found if world[0] == truth]
        for world in alone:
            if case.is_balanced:
                found[world] = 1 / len(alone)
            else:
                for masks in case.masks:
                    found[world] /= sum(not mask >> truth & 1 for mask in masks)
    total = sum(found.values())
    return {world: weight / total for world, weight in found.items()}


def _joint(case: Case, reports: Mapping[int, int]) -> list[float]:
    """Return the probability of each truth together with these reports."""
    found = [0.0] * case.n_truths
    for (truth, choice), weight in _worlds(case).items():
        for action, told in reports.items():
            wrong = (1 - case.reliability) / (case.states[action] - 1)
            weight *= case.reliability if choice[action] == told else wrong
        found[truth] += weight
    return found


@pytest.mark.parametrize("case", CASES)
def test_probabilities_are_sums_over_all_worlds(case: Case) -> None:
    for reports in ({}, {0: 1}, {1: 0, 2: 1}, {0: 2, 1: 1, 2: 0}):
        joint = _joint(case, reports)
        assert believe(case, reports) == pytest.approx([part / sum(joint) for part in joint], abs=1e-12)
    if case.is_balanced:
        assert believe(case, {}) == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("case", CASES)
def test_the_best_play_has_the_least_expected_count(case: Case) -> None:
    m = len(case.states)

    @cache
    def least(reports: tuple[tuple[int, int], ...]) -> float:
        joint = _joint(case, dict(reports))
        costs = [len(reports) * max(joint) + m * (sum(joint) - max(joint))]
        for action in set(range(m)) - {action for action, _ in reports}:
            after = (tuple(sorted((*reports, (action, told)))) for told in range(case.states[action]))
            costs.append(sum(map(least, after)))
        return min(costs)

    play = plan_best_play(case)
    assert play.count == pytest.approx(least(()))

    def expect(reports: dict[int, int]) -> tuple[float, float, float]:
        """Return success, tests and count of the play from these reports on, times their probability."""
        action, answer = play.choose(reports)
        joint = _joint(case, reports)
        if action < 0:
            right, n = joint[answer], len(reports)
            return right, n * sum(joint), n * right + m * (sum(joint) - right)
        parts = [expect({**reports, action: told}) for told in range(case.states[action])]
        success, tests, count = (sum(part) for part in zip(*parts, strict=True))
        return success, tests, count

    assert expect({}) == pytest.approx((play.success, play.tests, play.count))


@pytest.fixture(scope="module")
def reporter() -> Reporter:
    return Reporter(encode_config(draw_seat("chemical_analysis", "easy", 1).board.config))


@pytest.mark.slow
def test_reports_are_right_as_often_as_said_and_are_read_back(reporter: Reporter) -> None:
    seats = [draw_seat("chemical_analysis", "easy", seed) for seed in range(1, 7)]
    right = total = 0
    for seat in seats:
        instance = seat.board.instance
        outcomes = {outcome.action: outcome for outcome in seat.board.config.outcomes}
        for number in range(60):
            told = reporter.report(instance, f"{seat.instance_id}{number}", 0.7)
            more = reporter.report(instance, f"{seat.instance_id}{number}", 0.9)
            shown = zip(told.actions, told.states, told.observations, strict=True)
            assert all(outcomes[action].state_of(seen) == state for action, state, seen in shown)
            pairs = list(zip(told.states, instance.states, strict=True))
            right += sum(one == other for one, other in pairs)
            total += len(pairs)
            kept = zip(told.observations, instance.observations, pairs, strict=True)
            assert all(seen == true for seen, true, (one, other) in kept if one == other)
            assert all(
                b == t for a, b, t in zip(told.states, more.states, instance.states, strict=True) if a == t
            )
    assert total == 6 * 60 * 6
    assert right / total == pytest.approx(0.7, abs=0.04)
    assert reporter.report(instance, "x", 0.5) == reporter.report(instance, "x", 0.5)


def test_the_best_play_succeeds_as_often_as_expected(reporter: Reporter) -> None:
    seat = draw_seat("chemical_analysis", "easy", 1)
    case = Case(seat.board.encoded.n_truths, seat.board.encoded.masks, 0.8, True)
    play, worlds = plan_best_play(case), _worlds(case)
    rng = derive_rng(0, "worlds", 0)
    right = 0
    for truth, choice in rng.choices(list(worlds), list(worlds.values()), k=3_000):
        reports: dict[int, int] = {}
        while (move := play.choose(reports))[0] >= 0:
            action = move[0]
            others = [state for state in range(case.states[action]) if state != choice[action]]
            reports[action] = choice[action] if rng.random() < 0.8 else rng.choice(others)
        right += move[1] == truth
    assert right / 3_000 == pytest.approx(play.success, abs=0.03)


@pytest.mark.parametrize(
    ("reply", "stated"),
    [
        (f"<ANSWER>x</ANSWER>{state_probability(0.25)}", 0.25),
        ("<PROBABILITY>0.9</PROBABILITY> no: <probability> 80% </probability>", 0.8),
        ("<PROBABILITY>0,5</PROBABILITY>", 0.5),
        ("<PROBABILITY>80</PROBABILITY>", None),
        ("<PROBABILITY>1.2.3</PROBABILITY>", None),
        ("0.9", None),
    ],
)
def test_the_last_probability_between_tags_is_read(reply: str, stated: float | None) -> None:
    assert read_probability(reply) == stated


def test_where_the_reference_ends() -> None:
    assert fits_plan(4, [6] * 6, 1)
    assert not fits_plan(12, [2] * 16, 1)
    assert not fits_plan(4, [2] * 6, 2)
    every = order_reliabilities([f"{share}" for share in RELIABILITIES.values()])
    assert set(versions_reported(every, (USUAL,), ["hard", "easy"])) == set(RELIABILITIES)
    with pytest.raises(InvalidOption, match="not computed for hard, 6x10v2"):
        versions_reported(["0.9"], (USUAL,), ["hard", "6x10v2"])
    with pytest.raises(ValueError, match="in hundredths"):
        order_reliabilities(["0.955"])


def test_outcomes_are_shown_where_they_are_asked_for() -> None:
    assert order_reliabilities(["0.90", "1.0", "0.8", "0.9"]) == ["1", "0.9", "0.8"]
    shown = (USUAL, "first")
    assert versions_reported(["1", "0.9"], shown, ["easy"]) == (*shown, "reliability-90")
    assert versions_reported(["0.9"], (USUAL,), ["easy"]) == ("reliability-90",)
    assert versions_reported(["1"], shown, ["hard"]) == shown
    with pytest.raises(InvalidOption, match="add 1, as in --reliability 1,"):
        versions_reported(["0.9"], shown, ["easy"])
    for bad in ([], ["0.4"], ["x"], ["nan"]):
        with pytest.raises(ValueError, match="in hundredths"):
            order_reliabilities(bad)
