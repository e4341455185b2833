"""The two engines of time: they agree with each other, with plain enumeration and with known cases."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.ids import derive_rng
from perennial.schemas.knowlogic.things import EngineDecision
from perennial.tasks.knowlogic.problem import Problem, Request
from perennial.tasks.knowlogic.time.claims import claim_of, holds
from perennial.tasks.knowlogic.time.engines import events_in
from tests.knowlogic.time.time_items import domain, problem, say, table


def draw(seed: int) -> Problem:
    """Return a problem of a week."""
    found = domain().draw(Request("cyclic", "easy", "precise_event", 1), derive_rng(7, "cyclic", seed))
    assert found is not None
    return found


def weaken(found: Problem, seed: int) -> Problem:
    """Return the problem without one of its statements."""
    place = seed % len(found.statements)
    return replace(found, statements=found.statements[:place] + found.statements[place + 1 :])


def enumerate_week(found: Problem) -> EngineDecision:
    """Return what holds in all weeks, tried one by one."""
    times, events = table(), events_in(table(), found)
    given = [claim_of(times, "cyclic", each) for each in found.statements]
    options = [claim_of(times, "cyclic", each) for each in found.options]
    weeks = [dict(zip(events, days, strict=True)) for days in product(range(7), repeat=len(events))]
    allowed = [at for at in weeks if all(holds(times, "cyclic", claim, at) for claim in given)]
    seen = [{holds(times, "cyclic", option, at) for at in allowed} for option in options]
    symmetry = 1 if any(claim.kind == "at" for claim in given) else 7
    verdicts = tuple(each.pop() if len(each) == 1 else None for each in seen)
    return EngineDecision(len(allowed) // symmetry, verdicts)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 100_000))
def test_a_week_is_what_plain_enumeration_finds(seed: int) -> None:
    found = draw(3 * seed)
    if len(events_in(table(), found)) <= 5:
        assert domain().decide(found) == enumerate_week(found)
        weak = weaken(found, seed)
        assert domain().decide(weak) == enumerate_week(weak)


def decide_both(found: Problem) -> EngineDecision:
    """Return what both engines find."""
    decision = domain().decide(found)
    assert domain().check(found) == decision
    return decision


def test_five_days_before_a_wednesday_is_a_friday() -> None:
    statements = [say("on", "swim", 2), say("before", "chess", "swim", 5)]
    options = [say("on", "chess", 4), say("after", "chess", "swim", 2), say("on", "chess", 5)]
    assert decide_both(problem("cyclic", statements, options)) == EngineDecision(1, (True, True, False))


def test_a_week_without_a_day_has_one_arrangement_and_no_days() -> None:
    statements = [say("after", "chess", "swim", 3), say("same", "jog", "chess")]
    options = [say("before", "chess", "swim", 4), say("on", "chess", 1), say("after", "swim", "jog", 3)]
    assert decide_both(problem("cyclic", statements, options)) == EngineDecision(1, (True, None, False))


def test_statements_that_contradict_each_other_leave_nothing() -> None:
    statements = [say("after", "chess", "swim", 3), say("after", "swim", "chess", 3), say("on", "swim", 1)]
    assert decide_both(problem("cyclic", statements, [say("on", "chess", 1)])).arrangements == 0
    statements = [say("year", "start_primary", 1950), say("year", "finish_primary", 1949)]
    assert decide_both(problem("linear", statements, [say("year", "start_primary", 1950)])).arrangements == 0


def test_a_gap_needs_the_order_of_a_life() -> None:
    ordered = [say("year", "start_primary", 1950), say("gap", "finish_primary", "start_primary", 6)]
    options = [say("year", "finish_primary", 1956), say("lasts", "primary", 6)]
    assert decide_both(problem("linear", ordered, options)) == EngineDecision(1, (True, True))
    free = [say("year", "get_married", 1950), say("gap", "buy_car", "get_married", 6)]
    options = [say("year", "buy_car", 1956), say("later", "buy_car", "get_married")]
    assert decide_both(problem("linear", free, options)) == EngineDecision(2, (None, None))


def test_a_span_lasts_as_long_as_another() -> None:
    statements = [
        say("year", "start_junior", 1930),
        say("lasts", "junior", 3),
        say("anchor_before", "graduate", "united_nations", 4),
        say("as_long", "university", "junior"),
    ]
    options = [
        say("year", "start_university", 1938),
        say("longer", "university", "junior"),
        say("shorter", "university", "junior"),
        say("gap", "start_university", "graduate", 3),
    ]
    assert decide_both(problem("linear", statements, options)) == EngineDecision(
        1, (True, False, False, True)
    )


@pytest.mark.slow
def test_too_many_assignments_are_refused() -> None:
    statements = [say("year", "born", 1930)]
    options = [say("longer", "junior", "university")]
    for engine in (domain().decide, domain().check):
        with pytest.raises(ValueError, match="more than"):
            engine(problem("linear", statements, options))
