"""Which models a refresh will call, checked before any work: are they reachable by key, price and limit?"""

from schemas.calls import ModelChoice
from schemas.errors import InvalidOption
from schemas.kumo.authoring import AuthoringPlan
from schemas.settings import RefreshSettings
from tasks.kumo.game import VARIANTS
from tasks.kumo.players import PLAYERS
from tasks.llm.budget import check_budget
from tasks.llm.endpoint import checked_url
from tasks.play.model_player import parse_model_player
from warehouse.ledger.prices import load_prices
from warehouse.store.store import Store

_TEMPLATE_READER = "reader"


def choose_players(settings: RefreshSettings, authoring: AuthoringPlan) -> tuple[str, ...]:
    """Return the players' names; a name that is no player of perennial's own is a model.

    Raises InvalidOption where none is left, or where one is to read what it cannot: the reader knows the
    sentences of the template's books alone.
    """
    players = tuple(settings.players)
    if authoring.writer and _TEMPLATE_READER in players:
        if "players" in settings.model_fields_set:
            raise InvalidOption(
                "player 'reader' reads the books of the template alone, and these are written by "
                f"{authoring.writer!r}: leave it out of --players"
            )
        players = tuple(name for name in players if name != _TEMPLATE_READER)
    if not players:
        raise InvalidOption("no player is left to play: name at least one, such as --players oracle")
    return players


def check_models(
    settings: RefreshSettings,
    authoring: AuthoringPlan,
    players: tuple[str, ...],
    store: Store,
    *,
    needs_key: bool,
) -> None:
    """Raise InvalidOption where models are named that cannot be called, or not within a limit of cost."""
    playing = [name for name in players if name not in PLAYERS]
    models = {parse_model_player(name, {}, VARIANTS).choice.model for name in playing} | set(authoring.models)
    if not models:
        return
    endpoint = settings.endpoint()
    checked_url(endpoint.base_url)
    if needs_key and endpoint.url_from == "default" and not endpoint.key:
        first = playing[0] if playing else authoring.models[0]
        role = (
            f"player {first!r} is a model (programs: {', '.join(PLAYERS)})"
            if playing
            else f"author {first!r} is a model"
        )
        raise InvalidOption(
            f"{role}, and no model can be called: set PERENNIAL_API_KEY or OPENAI_API_KEY, "
            "or name a server of your own with --base-url"
        )
    choices = [parse_model_player(name, settings.player_params(), VARIANTS).choice for name in playing]
    choices += [ModelChoice(model, authoring.params) for model in authoring.models]
    check_budget(settings.call_policy(), choices, load_prices(store))
