"""Addition: the sum of a list."""

from itertools import accumulate

from schemas.beyondbench.things import one
from tasks.beyondbench.easy.lists import (
    STANDARD,
    ListParams,
    draw_list,
    guess_integer,
    list_space,
    list_tokens,
    list_words,
    read_list,
)
from tasks.beyondbench.forms.integer import IntegerForm
from tasks.beyondbench.task import RIGHT, Task


def _sum(params: ListParams) -> int:
    return sum(params.values)


def _sum_by_steps(params: ListParams) -> int:
    *_, last = accumulate(params.values)
    return last


TASK = Task(
    "addition",
    "easy",
    "the sum of a list",
    ListParams,
    STANDARD,
    "beyondbench/easy/addition.md.j2",
    draw=draw_list,
    solve=lambda params: one(_sum(params)),
    verify=lambda params, answer: RIGHT if answer == _sum(params) else "wrong_number",
    check=lambda params, answer: bool(answer == _sum_by_steps(params)),
    form=lambda _params: IntegerForm(),
    words=list_words,
    read=read_list,
    guess=guess_integer,
    tokens=list_tokens,
    space=list_space,
)
