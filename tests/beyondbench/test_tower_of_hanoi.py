"""Tower of Hanoi: the only shortest path by search, the grader's codes, and how moves are read."""

import json
from collections import Counter
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.beyondbench.things import Parsed
from perennial.schemas.ids import derive_rng
from perennial.tasks.beyondbench.forms.lists import NOTATIONS, MovesForm
from perennial.tasks.beyondbench.hard.tower_of_hanoi import PAIRS, TASK, HanoiParams
from perennial.tasks.beyondbench.parse import parse_reply
from perennial.tasks.beyondbench.problem import draw_problems

ABC = HanoiParams("ABC", "AAA", "CCC", 0)
SEVEN = [
    [1, "A", "C"],
    [2, "A", "B"],
    [1, "C", "B"],
    [3, "A", "C"],
    [1, "B", "A"],
    [2, "B", "C"],
    [1, "A", "C"],
]


def shortest_paths(start):
    """Return length and number of the shortest paths to every position, disk 1 first, by layers of states."""
    found, layer, steps = {start: (0, 1)}, Counter({start: 1}), 0
    while layer:
        following, steps = Counter(), steps + 1
        for state, paths in layer.items():
            tops = [state.index(peg) if peg in state else len(state) for peg in range(3)]
            for source, target in permutations(range(3), 2):
                if tops[source] < tops[target]:
                    moved = (*state[: tops[source]], target, *state[tops[source] + 1 :])
                    if moved not in found:
                        following[moved] += paths
        layer = following
        found |= {state: (steps, paths) for state, paths in layer.items()}
    return found


def name(state):
    return "".join("ABC"[peg] for peg in state)


def test_all_shortest_sequences_between_any_two_positions_are_known():
    """All pairs of four disks: length and number by search, and how many of them may be drawn."""
    drawn = 0
    states = list(product(range(3), repeat=4))
    for start in states:
        for goal, (length, paths) in shortest_paths(start).items():
            if goal == start:
                continue
            params = HanoiParams("ABC", name(start), name(goal), 0)
            solutions = TASK.solve(params)
            assert (solutions.count, len(solutions.reference)) == (paths, length)
            assert all(TASK.verify(params, each) == "" for each in solutions.answers)
            if paths == 2:
                assert solutions.answers[0] != solutions.answers[1]
                assert all(TASK.check(params, answer) for answer in solutions.answers)
            is_classic = len(set(start)) == len(set(goal)) == 1
            drawn += start[-1] != goal[-1] and paths == 1 and length >= 8 and not is_classic
    assert drawn == PAIRS[4]
    assert round(10 ** TASK.space("positions", 4).log10) == drawn * 2 * len(NOTATIONS)


def test_the_seven_moves_of_three_disks():
    assert TASK.solve(ABC).answers == (SEVEN,)


params = st.builds(
    lambda variation, size, seed: next(draw_problems(TASK, variation, size, seed, 0))[0].params,
    st.sampled_from(["", "positions"]),
    st.integers(3, 8),
    st.integers(0, 999),
)


@settings(max_examples=40, deadline=None)
@given(params, st.data())
def test_grader_and_search_agree_on_any_change_of_the_solution(params, data):
    moves = TASK.solve(params).reference
    place = data.draw(st.integers(0, len(moves) - 1))
    change = [
        data.draw(st.integers(1, params.disks)),
        data.draw(st.sampled_from(params.pegs)),
        data.draw(st.sampled_from(params.pegs)),
    ]
    changed = [*moves[:place], change, *moves[place + data.draw(st.integers(0, 1)) :]]
    assert (TASK.verify(params, changed) == "") == TASK.check(params, changed) == (changed == moves)


def test_another_prompt_is_refused():
    with pytest.raises(ValueError, match="no Tower of Hanoi"):
        TASK.read("Add all numbers of this list.")


LINES = [
    *("{0}: {1} -> {2}", "{0}: {1} → {2}", "disk {0}: {1} => {2}", "- **Move {0} from {1} to {2}**"),
    *("Move disk {0} from {1} to {2}.", "move disc {0} from peg {1} to rod {2}"),
    *("Transfer disk {0} from peg {1} to peg {2}", '[{0}, "{1}", "{2}"],', "({0}, '{1}', '{2}')"),
    '{{"disk": {0}, "from": "{1}", "to": "{2}"}},',
    r"$\text{{Disk }} {0}: {1} \rightarrow {2}$",
    "Step 3: move the disk {0} from the peg {1} to the peg {2}",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("pegs", ["ABC", "123"])
def test_moves_are_read_in_many_notations(line, pegs):
    moves = [[disk, *(pegs["ABC".index(peg)] for peg in ends)] for disk, *ends in SEVEN]
    form = MovesForm(3, pegs, 0)
    text = "\n".join(line.format(*move) for move in moves)
    assert parse_reply(f"<answer>\n{text}\n</answer>", form) == Parsed(moves, 2)


@pytest.mark.parametrize("notation", range(4))
def test_the_notation_asked_for_is_level_one_and_another_level_two(notation):
    for other in range(4):
        written = MovesForm(3, "ABC", other).write(SEVEN)
        read = parse_reply(f"So:\n<answer>{written}</answer>", MovesForm(3, "ABC", notation))
        assert (read.answer, read.level) == (SEVEN, 1 if other == notation else 2)


def test_numbers_of_steps_and_json_are_read():
    form = MovesForm(3, "ABC", 0)
    numbered = "\n".join(
        f"{i}. Move disk {d} from peg {a} to peg {b}" for i, (d, a, b) in enumerate(SEVEN, 1)
    )
    one_line = ", ".join(f"{d}: {a}->{b}" for d, a, b in SEVEN)
    as_json = json.dumps(SEVEN)
    for text in (numbered, one_line, str(SEVEN), as_json, f"```\n{numbered}\n```"):
        assert parse_reply(f"<answer>{text}</answer>", form).answer == SEVEN


def test_the_last_block_counts_and_prose_within_is_not_an_answer():
    form = MovesForm(3, "ABC", 0)
    good, bad = form.write(SEVEN), form.write(SEVEN[:3])
    assert parse_reply(f"<answer>{bad}</answer> no: <answer>{good}</answer>", form).answer == SEVEN
    text = f"The path:\n{bad}\nNo, wrong. The path is:\n{good}\nThat is all."
    assert parse_reply(text, form) == Parsed(SEVEN, 3)
    assert parse_reply("<answer>I move disk 1 from A to C because it is small</answer>", form).answer is None


def test_longer_legal_paths_are_among_the_mutations():
    found = TASK.mutations(ABC, SEVEN, derive_rng(0, "mutations", 0))
    assert sum(TASK.verify(ABC, answer) == "suboptimal" for _, answer in found) >= 5


def test_the_space_is_counted():
    drawn = {TASK.draw("", 3, derive_rng(seed, "space", 0)) for seed in range(600)}
    assert len(drawn) == round(10 ** TASK.space("disks_3", 3).log10) == 2 * 6 * len(NOTATIONS)
