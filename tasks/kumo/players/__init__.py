"""Who plays: players that need no model, and models."""

from tasks.kumo.players.model import Board, ModelPlayer, parse_model_player, play_all, play_model
from tasks.kumo.players.registry import PLAYERS, OraclePlayer, PlayerKind, RandomPlayer, player_kind
from tasks.kumo.players.seat import Seat, take_seat

__all__ = [
    "PLAYERS",
    "Board",
    "ModelPlayer",
    "OraclePlayer",
    "PlayerKind",
    "RandomPlayer",
    "Seat",
    "parse_model_player",
    "play_all",
    "play_model",
    "player_kind",
    "take_seat",
]
