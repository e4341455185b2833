"""Play instances of a published edition from your own program: its messages, your reply, what comes back.

This is for programs that are no part of perennial: an agent, a training loop, another framework. The root
is a data root, or the folder of a `perennial export` with tables, which holds no private instance.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from perennial.flows.benchmark import find_benchmark
from perennial.schemas.errors import InvalidOption
from perennial.schemas.game import Game, Opening, Result, Seat
from perennial.schemas.model_calls import Message, Reply
from perennial.tasks.llm.replies import read_message
from perennial.tasks.play import enter_reply
from perennial.warehouse.catalog.catalog import read_batches, visible_editions
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.editions.selectors import select_unit
from perennial.warehouse.store.store import Store

SEATS_AT_ONCE = 1_000


class Conversation:
    """One run on one instance: `messages` are what to send next, `take` what to do with the reply."""

    def __init__(self, instance_id: str, game: Game, opening: Opening) -> None:
        self.instance_id = instance_id
        self._game = game
        self._kept = [*(opening.kept or opening.messages)]
        self._messages = [*opening.messages]
        self._tail = opening.tail

    @property
    def messages(self) -> list[Message]:
        """The conversation so far, as a model is sent it: `role` and `content` of each message."""
        return [*self._messages]

    @property
    def result(self) -> Result | None:
        """How it ended: status, success, and a score from 0 to 1; None while it continues."""
        return self._game.result()

    def take(self, reply: str) -> str | None:
        """Take the next reply and return the observation; None where the run has ended.

        Reasoning in the reply is split off first, as for `perennial evaluate`
        (`perennial.tasks.llm.reasoning`). Raises InvalidOption once the run has ended.
        """
        return self.enter(read_message({"content": reply}))

    def enter(self, reply: Reply) -> str | None:
        """Do what `take` does with a reply that was read already."""
        if self._game.result() is not None:
            raise InvalidOption(f"the run on {self.instance_id} has ended: start another one")
        observation = enter_reply(self._game, reply)
        if observation is not None:
            last = self._game.next_message()
            self._kept += [{"role": "assistant", "content": reply.content}, last]
            self._messages = [*self._kept[:-1], {**last, "content": last["content"] + self._tail}]
        return observation


class Games:
    """The games of one edition, started by the ids of their instances."""

    def __init__(self, store: Store, edition: str) -> None:
        self._store = store
        self._plan = read_published_plan(store, edition)
        self.edition = edition
        self.instance_ids = instance_ids(store, edition)
        self._places = {id_: position for position, id_ in enumerate(self.instance_ids)}

    def start(self, instance_id: str, variant: str = "") -> Conversation:
        """Return a fresh run on the instance, shown as models are usually shown it, or in another variant.

        Raises InvalidOption for an instance that the edition does not hold, or that cannot be played.
        """
        if instance_id not in self._places:
            raise InvalidOption(f"edition {self.edition!r} holds no instance {instance_id!r}")
        first = self._places[instance_id] // SEATS_AT_ONCE * SEATS_AT_ONCE
        wanted = self.instance_ids[first : first + SEATS_AT_ONCE]
        seats = _read_seats(self._store, self._plan.benchmark, self.edition, wanted)
        seats_by_id = {seat.instance_id: seat for seat in seats}
        if instance_id not in seats_by_id:
            raise InvalidOption(f"instance {instance_id!r} cannot be played: no version of it was checked")
        return open_seat(seats_by_id[instance_id], variant)


def open_seat(seat: Seat, variant: str = "") -> Conversation:
    """Return a fresh run on the seat, shown in this way."""
    game = seat.start()
    return Conversation(seat.instance_id, game, game.opening(variant))


def open_games(root: str | Path, edition: str = "latest") -> Games:
    """Return the games of the edition, the newest one by default; raise InvalidOption for an unknown one."""
    store = Store(str(root))
    return Games(store, select_unit(store, edition, visible_editions(store)))


def instance_ids(store: Store, edition: str) -> tuple[str, ...]:
    """Return the ids of all instances of a published edition, by domain, setting and number."""
    columns = ("domain", "setting", "index", "instance_id")
    rows: list[tuple[str, str, int, str]] = []
    for batch in read_batches(store, "instances", edition, columns, 1 << 13):
        rows += zip(*(batch[name].to_pylist() for name in columns), strict=True)
    return tuple(id_ for *_, id_ in sorted(rows))


@lru_cache(maxsize=2)
def _read_seats(store: Store, benchmark: str, edition: str, wanted: Sequence[str]) -> tuple[Seat, ...]:
    return tuple(find_benchmark(benchmark).take_seats(store, edition, wanted, {}))
