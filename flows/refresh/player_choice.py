"""Which models a refresh will call, checked before any work: are they reachable by key, price and limit?"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.benchmark import Benchmark
from schemas.calls import ModelChoice
from schemas.errors import InvalidOption
from schemas.game import USUAL
from schemas.settings import RefreshSettings
from tasks.llm.budget import check_budget
from tasks.llm.http.endpoint import check_url
from tasks.play.model_player import parse_model_player, plays_version
from warehouse.ledger.prices import load_prices
from warehouse.store.store import Store


def choose_players(
    settings: RefreshSettings, benchmark: Benchmark, own: Mapping[str, Any], anchors: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the players' names: those that are given, or all programs that fit the plan's `own` part.

    The `anchors` that are not among them follow.
    Any name that is not a program's is a model's. Raises InvalidOption where none is left, or where one that
    is given cannot play.
    """
    unfit = benchmark.unfit(own)
    given = rename_aliases(settings.players, benchmark)
    anchors = rename_aliases(anchors, benchmark)
    for option, names in (("players", given), ("anchors", anchors)):
        for name in names:
            if name in unfit:
                raise InvalidOption(f"player {name!r} {unfit[name]}: leave it out of --{option}")
    players = given or [name for name in benchmark.playing().programs if name not in unfit]
    if not players:
        raise InvalidOption("no player is left to play: name at least one with --players")
    return tuple(dict.fromkeys((*players, *anchors)))


def rename_aliases(players: Sequence[str], benchmark: Benchmark) -> list[str]:
    """Return the players with programs under their own names, each once."""
    aliases = benchmark.playing().aliases
    return list(dict.fromkeys(aliases.get(name, name) for name in players))


def describe_aliases(players: Sequence[str], benchmark: Benchmark) -> list[str]:
    """Return a sentence for each given player that is another name of a program."""
    aliases = benchmark.playing().aliases
    return [f"player {name!r} is now called {aliases[name]!r}" for name in players if name in aliases]


def choose_versions(
    settings: RefreshSettings, benchmark: Benchmark, own: Mapping[str, Any], players: Sequence[str]
) -> tuple[str, ...]:
    """Return the versions of each question to play; raise InvalidOption for a player that would play none."""
    versions = settings.versions(own)
    if USUAL not in versions:
        playing = benchmark.playing()
        for name in players:
            if not plays_version(playing, name, versions[0]):
                raise InvalidOption(
                    f"player {name!r} plays only the usual version of a question, and this evaluation is of "
                    f"{', '.join(versions)} alone: name models with --players"
                )
    return versions


def check_models(
    settings: RefreshSettings,
    benchmark: Benchmark,
    authors: Sequence[ModelChoice],
    players: Sequence[str],
    store: Store,
    *,
    needs_key: bool,
) -> None:
    """Raise InvalidOption where models are named that cannot be called, or not within a limit of cost."""
    playing = benchmark.playing()
    models = [name for name in players if name not in playing.programs]
    params = settings.player_params()
    choices = [parse_model_player(name, params, playing.variants).choice for name in models]
    choices += authors
    if not choices:
        return
    endpoint = settings.endpoint()
    check_url(endpoint.base_url)
    if needs_key and endpoint.url_from == "default" and not endpoint.key:
        known = ", ".join(playing.programs)
        role = (
            f"player {models[0]!r} is a model (programs: {known})"
            if models
            else f"author {authors[0].model!r} is a model"
        )
        raise InvalidOption(
            f"{role}, and no model can be called: set PERENNIAL_API_KEY or OPENAI_API_KEY, "
            "or name a server of your own with --base-url"
        )
    check_budget(settings.call_policy(), choices, load_prices(store))
