"""The guesser: an answer by the cell, the size and the form of a problem alone. Its rate is the floor."""

from perennial.schemas.beyondbench.things import Answer
from perennial.tasks.beyondbench.forms.form import Form
from perennial.tasks.beyondbench.players.answer_shapes import fixed_answer, write_shape
from perennial.tasks.beyondbench.players.usual import USUAL


def guess(task: str, variation: str, size: int, form: Form) -> Answer:
    """Return the answer that was right most often in problems of this variation and size.

    Where none was right twice among those that it was learned from, it is a fixed answer of the form.
    """
    shape = USUAL.get(f"{task} {variation} {size}")
    if shape is None:
        return fixed_answer(form, size)
    try:
        return write_shape(form, shape)
    except ValueError:  # words of another length than those that were usual
        return fixed_answer(form, size)
