"""Draw practice questions: one after the other, each new, none of them in an edition of the data root.

Draw i is the first attempt of index i that no edition holds and no smaller index took, so it depends on the
seed, the parameters and the editions, and not on how many are drawn.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from perennial.flows.benchmark import Draw
from perennial.flows.practice.grade import find_practice
from perennial.flows.practice.parameters import read_levels, read_parameters
from perennial.schemas.errors import InstancesExhausted
from perennial.schemas.ids import derive_seed
from perennial.schemas.practice import PracticeQuestion
from perennial.warehouse.catalog.catalog import published_editions
from perennial.warehouse.editions.issued_ids import IdSet, issued_instances
from perennial.warehouse.store.store import Store

# Attempts of an index, after which what is asked for counts as used up: of those that gave nothing at all,
# which may cost a search, fewer.
_MOST_ATTEMPTS, _MOST_EMPTY = 1_000, 100
_RECENT = 4_096
_Drawer = Callable[[int, int], Draw | None]


class PracticeQuestions:
    """Practice questions of a benchmark without end; iterate once.

    `held_back` counts the draws that were left out because an edition holds them, `repeated` those that were
    drawn before. Of what was drawn, the ids alone are kept, in 16 bytes each. With a `curriculum` of N, each
    N questions are of the next level, and those after the last level stay in it.
    """

    def __init__(
        self, benchmark: str, seed: int, arguments: Mapping[str, object], issued: IdSet, curriculum: int = 0
    ) -> None:
        self.benchmark = benchmark
        self._seed, self._issued, self._curriculum = seed, issued, curriculum
        # A stream of its own, so that a seed that an edition was grown with gives other draws.
        practice_seed = derive_seed(seed, f"practice/{benchmark}", 0)
        practice = find_practice(benchmark)
        levels = read_levels(practice, arguments, curriculum)
        self._levels: list[_Drawer] = [
            practice.start(read_parameters(practice, benchmark, {**arguments, **level}), practice_seed)
            for level in levels
        ]
        self._drawn, self._recent = IdSet(), set[str]()
        self.held_back = self.repeated = 0

    def __iter__(self) -> Iterator[PracticeQuestion]:
        for index in count():
            yield self._next(index)

    def _next(self, index: int) -> PracticeQuestion:
        level = min(index // self._curriculum, len(self._levels) - 1) if self._curriculum else 0
        draw = self._levels[level]
        held_back, repeated = self.held_back, self.repeated
        attempt = empty = 0
        while attempt < _MOST_ATTEMPTS and empty < _MOST_EMPTY:
            drawn = draw(index, attempt)
            attempt += 1
            if drawn is None:
                empty += 1
                continue
            id_ = drawn.seat.instance_id
            if any(issued_id in self._issued for issued_id in (id_, *drawn.ids)):
                self.held_back += 1
            elif id_ in self._recent or id_ in self._drawn:
                self.repeated += 1
            else:
                self._keep(id_)
                return self._question(index, drawn)
        held_back, repeated = self.held_back - held_back, self.repeated - repeated
        raise InstancesExhausted(
            f"{self.benchmark}: question {index:,}: {attempt:,} attempts gave no new one ({repeated:,} were "
            f"drawn before, an edition holds {held_back:,}, {empty:,} gave nothing of what was asked for): "
            "ask for fewer, or for others"
        )

    def _keep(self, id_: str) -> None:
        self._recent.add(id_)
        if len(self._recent) == _RECENT:
            self._drawn.update(self._recent)
            self._recent.clear()

    def _question(self, index: int, drawn: Draw) -> PracticeQuestion:
        opening = drawn.seat.start().opening("")
        return PracticeQuestion(
            drawn.seat.instance_id,
            self.benchmark,
            drawn.domain,
            self._seed,
            index,
            drawn.difficulty,
            tuple(opening.messages),
            drawn.answer,
            drawn.game,
            drawn.reply,
        )


def draw_questions(
    benchmark: str, seed: int = 0, root: str | None = None, curriculum: int = 0, **parameters: object
) -> PracticeQuestions:
    """Practice questions of a seed, without end; none is in an edition of the data root.

    `root` is a data root (None: the usual one), `parameters` are those that `perennial sample --benchmark
    NAME --help` lists. Raises InvalidOption for what does not exist or gives nothing.
    """
    from perennial.flows.console.root_option import data_root

    store = data_root(root)
    return PracticeQuestions(benchmark, seed, parameters, held_ids(store), curriculum)


def held_ids(store: Store) -> IdSet:
    """The content of all instances of the root's editions, private and withdrawn ones included."""
    return issued_instances(store, published_editions(store))
