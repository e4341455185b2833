"""The paper's own items about time, rebuilt from their facts: both engines find its answers.

'Met his future wife' is 'fell in love for the first time' here, and 'lived for 99 years' a difference.
"""

import pytest

from perennial.schemas.knowlogic.things import GAP, Proposition
from perennial.tasks.knowlogic.problem import Problem, fill, right_letters
from tests.knowlogic.time.time_items import domain, problem, say

MONDAY, WEDNESDAY = 0, 2


def gap_item(scenario: str, statements: list[Proposition], asked: Proposition, *choices: str) -> Problem:
    """Return a question for the one event that fits."""
    return problem(scenario, statements, [fill(asked, each) for each in choices], "precise_event", asked)


def table_2() -> Problem:
    """Return the item of Table 2, with options of the text."""
    statements = [
        say("on", "japanese", MONDAY),
        say("on", "badminton", WEDNESDAY),
        say("after", "group_meeting", "japanese", 2),
        say("after", "clean_room", "group_meeting", 1),
    ]
    asked = say("after", GAP, "clean_room", 4)
    return gap_item("cyclic", statements, asked, "badminton", "japanese", "group_meeting")


def figure_17() -> Problem:
    """Return the item of Figure 17."""
    statements = [
        say("on", "japanese", MONDAY),
        say("on", "badminton", WEDNESDAY),
        say("after", "jog", "japanese", 2),
        say("after", "clean_room", "jog", 1),
        say("after", "guitar", "clean_room", 1),
        say("after", "papers", "guitar", 1),
    ]
    asked = say("before", "badminton", GAP, 5)
    return gap_item("cyclic", statements, asked, "japanese", "guitar", "papers", "jog")


def appendix_c_cyclic() -> Problem:
    """Return the cyclic item of Appendix C."""
    statements = [
        say("on", "badminton", WEDNESDAY),
        say("on", "group_meeting", WEDNESDAY),
        say("on", "jog", WEDNESDAY),
        say("after", "science_fiction", "badminton", 1),
        say("after", "guitar", "group_meeting", 2),
        say("after", "papers", "group_meeting", 3),
    ]
    options = [
        say("before", "jog", "badminton", 5),
        say("after", "badminton", "science_fiction", 6),
        say("before", "science_fiction", "papers", 3),
        say("after", "science_fiction", "guitar", 2),
    ]
    return problem("cyclic", statements, options, "incorrect_statements")


def appendix_c_linear_precise() -> Problem:
    """Return the linear item of Appendix C that asks for an event."""
    statements = [
        say("anchor_before", "born", "jackson", 58),
        say("after", "die", "born", 99),
        say("anchor_before", "start_primary", "united_nations", 38),
        say("anchor_before", "finish_primary", "jackson", 45),
        say("year", "start_junior", 1913),
        say("lasts", "junior", 3),
        say("anchor_before", "fall_in_love", "united_nations", 30),
        say("after", "start_senior", "born", 16),
        say("after", "finish_senior", "start_junior", 6),
        say("after", "start_university", "fall_in_love", 4),
        say("after", "graduate", "finish_junior", 8),
    ]
    asked = say("anchor_before", GAP, "jackson", 42)
    return gap_item("linear", statements, asked, "start_primary", "die", "finish_junior", "finish_senior")


def appendix_c_linear_correct() -> Problem:
    """Return the linear item of Appendix C with statements as options."""
    statements = [
        say("year", "born", 1900),
        say("anchor_after", "die", "united_nations", 54),
        say("anchor_before", "start_junior", "pulitzer", 4),
        say("anchor_before", "finish_junior", "jackson", 42),
        say("year", "fall_in_love", 1915),
        say("after", "start_senior", "born", 16),
        say("after", "finish_senior", "start_junior", 6),
        say("after", "first_child", "fall_in_love", 23),
        say("after", "retire", "born", 64),
    ]
    options = [
        say("gap", "united_nations", "google", 97),
        say("anchor_before", "first_child", "google", 20),
        say("anchor_later", "start_junior", "pulitzer"),
        say("gap", "born", "start_senior", 16),
    ]
    return problem("linear", statements, options)


@pytest.mark.parametrize(
    ("item", "letters"),
    [
        (table_2(), "B"),
        (figure_17(), "A"),
        (appendix_c_cyclic(), "ACD"),
        (appendix_c_linear_precise(), "C"),
        (appendix_c_linear_correct(), "D"),
    ],
)
def test_both_engines_find_the_answers_of_the_paper(item: Problem, letters: str) -> None:
    decision = domain().decide(item)
    assert decision == domain().check(item)
    assert decision.arrangements == 1
    assert right_letters(item, decision.verdicts) == letters
