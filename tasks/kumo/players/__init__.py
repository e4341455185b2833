"""Players of KUMO that need no model."""

from tasks.kumo.players.registry import ALIASES, PLAYERS, PlannedPlayer, RandomPlayer
from tasks.kumo.players.seat import Seat, take_seat

__all__ = ["ALIASES", "PLAYERS", "PlannedPlayer", "RandomPlayer", "Seat", "take_seat"]
