"""Players of KUMO that need no model."""

from perennial.tasks.kumo.players.registry import ALIASES, PLAYERS, PlannedPlayer, RandomPlayer
from perennial.tasks.kumo.players.seat import Seat, take_seat

__all__ = ["ALIASES", "PLAYERS", "PlannedPlayer", "RandomPlayer", "Seat", "take_seat"]
