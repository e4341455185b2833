"""Episodes and their turns as rows of the shared tables."""

from perennial.schemas.game import USUAL, Episode
from perennial.schemas.rows import Row


def episode_row(
    episode: Episode, episode_id: str, instance_id: str, seconds: float, version: str = USUAL
) -> Row:
    """Return the row of table `episodes`."""
    return {
        "episode_id": episode_id,
        "instance_id": instance_id,
        "player": episode.player,
        "run": episode.run,
        "version": None if version == USUAL else version,
        "status": episode.result.status,
        "success": episode.result.success,
        "score": episode.result.score,
        "turns": len(episode.turns),
        "tokens": episode.tokens,
        "cost_usd": episode.cost_usd,
        "seconds": seconds,
    }


def turn_rows(episode: Episode, episode_id: str) -> list[Row]:
    """Return the rows of table `turns`, a row per reply; what a call holds is not kept twice."""
    return [
        {
            "episode_id": episode_id,
            "turn": turn.number,
            "reply": None if turn.call_id else turn.reply,
            "feedback": turn.feedback,
            "call_id": turn.call_id,
        }
        for turn in episode.turns
    ]
