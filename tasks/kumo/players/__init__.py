"""Players that need no model."""

from tasks.kumo.players.registry import PLAYERS, OraclePlayer, PlayerKind, RandomPlayer, player_kind
from tasks.kumo.players.seat import Seat, take_seat

__all__ = ["PLAYERS", "OraclePlayer", "PlayerKind", "RandomPlayer", "Seat", "player_kind", "take_seat"]
