"""Players of KUMO that need no model."""

from tasks.kumo.players.registry import PLAYERS, OraclePlayer, RandomPlayer
from tasks.kumo.players.seat import Seat, take_seat

__all__ = ["PLAYERS", "OraclePlayer", "RandomPlayer", "Seat", "take_seat"]
