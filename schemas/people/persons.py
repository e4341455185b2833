"""People as players: a participant of a study is `human:PUBLIC`, and all of them together are `human`.

Rows of episodes bear the participant's name; figures are of all of them together, so that nobody counts
twice.
"""

PERSON = "human"
_PREFIX = f"{PERSON}:"


def person_name(public: str) -> str:
    """Return the player's name of a participant, from the public part of the code."""
    return _PREFIX + public


def is_person(player: str) -> bool:
    """Whether a player is a person, or all of them together."""
    return player == PERSON or player.startswith(_PREFIX)


def pool_sql(column: str) -> str:
    """Return the SQL of the player that figures are of: `human` for every participant."""
    return f"if(starts_with({column}, '{_PREFIX}'), '{PERSON}', {column})"
