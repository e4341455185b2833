"""How an edition of Mastermind is played: its codes as players meet them (`perennial.schemas.game.Seat`)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from perennial.flows.benchmark import Playing
from perennial.schemas.errors import InvalidOption, suggest
from perennial.schemas.game import Episode
from perennial.schemas.ids import content_id, derive_rng
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.store.store import Store
from perennial_mastermind.codes import PEGS, all_codes
from perennial_mastermind.game import PROGRAMS, CodeGame, draw_sheet


@dataclass(frozen=True, slots=True)
class CodeSeat:
    """A code of a published edition."""

    instance_id: str
    code: str

    def start(self) -> CodeGame:
        """Return a fresh game of it."""
        return CodeGame(self.code)

    def episode_id(self, player: str, run: int) -> str:
        """Return the content id of code, player and run."""
        return content_id("ep", self.instance_id, player, run)

    def own_rows(self, episode_id: str, episode: Episode[CodeGame]) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of `mastermind_guesses`."""
        game = episode.game
        rows = [
            {"episode_id": episode_id, "number": number, "guess": guess, **asdict(answer)}
            for number, (guess, answer) in enumerate(game.guesses, start=1)
        ]
        return {"mastermind_guesses": rows}


def take_seats(
    store: Store, edition: str, instance_ids: Sequence[str], _protocol: Mapping[str, Any]
) -> list[CodeSeat]:
    """Return the seats of these instances."""
    rows = rows_with(store, "mastermind_codes", edition, "instance_id", instance_ids)
    return [CodeSeat(**row) for row in rows]


def draw_seat(_domain: str, setting: str, seed: int) -> CodeSeat:
    """Return the seat of a fresh code for a person who plays alone; raise InvalidOption for no setting."""
    if setting and setting not in PEGS:
        raise InvalidOption(f"--setting {setting!r}: expected {' or '.join(PEGS)}{suggest(setting, PEGS)}")
    code = derive_rng(seed, "mastermind/play", 0).choice(all_codes(PEGS[setting or "short"]))
    return CodeSeat("", code)


PLAYING = Playing(
    PROGRAMS,
    (),
    take_seats,
    reads=("instances", "mastermind_codes"),
    sheet=draw_sheet,
    draw=draw_seat,
    references=("solver",),
)
