"""How KUMO is played."""

from schemas.game import Playing
from tasks.kumo.game import VARIANTS
from tasks.kumo.players import PLAYERS

PLAYING = Playing(PLAYERS, VARIANTS, lambda _store, _edition, _ids: ())
