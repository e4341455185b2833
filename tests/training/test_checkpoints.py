"""Names of checkpoints, and after which steps they are kept."""

import pytest

from perennial.schemas.errors import InvalidOption
from perennial.tasks.kumo.game import VARIANTS
from perennial.tasks.training import choose_steps, name_checkpoint, parse_checkpoint, require_name


@pytest.mark.parametrize(
    ("text", "last", "steps"),
    [
        ("8", 4_000, (500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000)),
        ("50,100,400", 1_000, (50, 100, 400, 1_000)),
        ("100, 50", 100, (50, 100)),
        ("50,", 100, (50, 100)),
        ("8", 3, (1, 2, 3)),
        ("1", 7, (7,)),
    ],
)
def test_steps_are_chosen(text: str, last: int, steps: tuple[int, ...]) -> None:
    assert choose_steps(text, last) == steps


@pytest.mark.parametrize("text", ["", "0", "x", "-5", "5,0", "200,5"])
def test_impossible_steps_are_refused_by_value(text: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        choose_steps(text, 100)
    assert repr(text) in str(caught.value)


def test_a_name_is_read_back_in_each_variant() -> None:
    player = name_checkpoint("qwen2.5-3b-instruct-hard", 4_000)
    assert player == "sft/qwen2.5-3b-instruct-hard-4000"
    for shown in (player, f"symbolic:{player}"):
        assert parse_checkpoint(shown, VARIANTS) == ("qwen2.5-3b-instruct-hard", 4_000)
    for other in ("qwen-500", f"else:{player}", "sft/qwen", "optimum", "my/sft/qwen-5"):
        assert parse_checkpoint(other, VARIANTS) is None
    with pytest.raises(InvalidOption, match="--name 'a b'"):
        require_name("a b")
