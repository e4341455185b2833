"""Many episodes of model players at once: order, errors, calls in flight."""

import asyncio
import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.schemas.errors import EndpointFailed, InvalidOption, LimitReached
from perennial.schemas.model_calls import ModelRequest, Reply
from perennial.tasks.kumo.game import KumoGame
from perennial.tasks.play import play_all
from tests.kumo.asking_models import (
    BOARD,
    VANILLA,
    Asking,
    bundled_boards,
    make_scripted,
    moves,
    name,
    play_all_boards,
)


class Shuffled:
    """Asks another, but lets requests wait and answers them in an order drawn by `seed`."""

    def __init__(self, ask: Asking, seed: int) -> None:
        self.ask, self.rng = ask, random.Random(seed)
        self.under_way = self.most = 0

    async def __call__(self, request: ModelRequest) -> Reply:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        for _ in range(self.rng.randrange(8)):
            await asyncio.sleep(0)
        self.under_way -= 1
        return await self.ask(request)


@pytest.mark.slow
@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(1, 9))
def test_results_do_not_depend_on_timing(seed, concurrency):
    boards = bundled_boards()[:6]
    in_turn = play_all_boards(make_scripted(), VANILLA, boards, runs=3, concurrency=1)
    shuffled = Shuffled(make_scripted(), seed)
    assert play_all_boards(shuffled, VANILLA, boards, runs=3, concurrency=concurrency) == in_turn
    assert [episode.run for episode in in_turn] == [0, 1, 2] * 6
    assert [moves(e)[-1] for e in in_turn[::3]] == [board.instance.valid_truths[0] for board in boards]
    assert shuffled.most == concurrency


@pytest.mark.parametrize("kind", [EndpointFailed, LimitReached])
def test_calls_in_flight_are_finished_before_an_error_is_raised(kind):
    begun, finished = [], []
    failing = asyncio.Event()

    async def ask(request: ModelRequest) -> Reply:
        begun.append(request.repeat)
        if request.repeat == 2:
            while len(begun) < 6:
                await asyncio.sleep(0)
            failing.set()
            raise kind("no more")
        await failing.wait()
        await asyncio.sleep(0.01)
        finished.append(request.repeat)
        return name("Swab")

    noise: list[object] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: noise.append(context))
        with pytest.raises(kind, match="no more"):
            await play_all(ask, VANILLA, [lambda: KumoGame(BOARD)], runs=range(20), concurrency=6)
        assert len(asyncio.all_tasks()) == 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main())
    assert sorted(begun) == [0, 1, 2, 3, 4, 5]
    assert sorted(finished) == [0, 1, 3, 4, 5]
    assert noise == []


def test_the_first_error_is_the_one_that_is_raised():
    has_failed = [asyncio.Event() for _ in range(4)]
    has_failed[3].set()

    async def ask(request: ModelRequest) -> Reply:
        await has_failed[request.repeat + 1].wait()
        has_failed[request.repeat].set()
        raise EndpointFailed(f"run {request.repeat}")

    with pytest.raises(EndpointFailed, match="run 2"):
        play_all_boards(ask, VANILLA, [BOARD], runs=3, concurrency=3)


def test_nobody_plays_without_concurrency_and_nothing_is_played_without_boards():
    with pytest.raises(InvalidOption, match="concurrency 0"):
        play_all_boards(make_scripted(), VANILLA, [BOARD], runs=1, concurrency=0)
    assert play_all_boards(make_scripted(), VANILLA, [], runs=5, concurrency=4) == []
