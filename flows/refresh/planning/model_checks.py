"""The models of a refresh, checked before any work: are they known, and is there a key, a price, a limit?"""

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from perennial.flows.benchmark import Benchmark
from perennial.schemas.errors import InvalidOption
from perennial.schemas.model_calls import ModelChoice, Price
from perennial.schemas.rows import JsonObject
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.models import MODELS_FILE, entry_prices
from perennial.tasks.llm.bounded_http import Extras, check_key, check_url, environment_headers
from perennial.tasks.llm.limits import check_budget
from perennial.tasks.llm.listing import ask_for_models, is_listed, listed_models
from perennial.tasks.play import models_of
from perennial.warehouse.ledger.prices import load_prices
from perennial.warehouse.store.store import Store

_CLOSE = 0.8  # of `difflib`: one letter that is missing, or two that are swapped
_CLOSE_PREFIX = 0.5  # such as opened for closed: few names of models have a colon, and servers list those
_LISTING_TIMEOUT_S = 10.0


def choose_params(
    settings: RefreshSettings, benchmark: Benchmark, players: Sequence[str]
) -> tuple[JsonObject, dict[str, JsonObject]]:
    """Return what the calls of models that play pass on, and by model where its entry changes that."""
    models = models_of(players, benchmark)
    shared = settings.player_params() if models else {}
    return shared, settings.model_params(models, shared)


def state_facts(
    settings: RefreshSettings, benchmark: Benchmark, players: Sequence[str]
) -> dict[str, JsonObject]:
    """Return what models.toml says of the players that are models, where it says anything."""
    entries = settings.model_entries()
    named = [name for name in models_of(players, benchmark) if name in entries]
    return {name: entries[name].facts for name in named if entries[name].facts}


def check_models(
    settings: RefreshSettings,
    benchmark: Benchmark,
    authors: Sequence[ModelChoice],
    players: Sequence[str],
    store: Store,
    *,
    needs_key: bool,
    protocol: Mapping[str, object],
) -> None:
    """Raise InvalidOption where models are named that cannot be called, or not within a limit of cost.

    `protocol` is the evaluation's: it may name models too.
    """
    refuse_reserved_names(settings, benchmark)
    shared, own = choose_params(settings, benchmark, players)
    choices = [ModelChoice(model, own.get(model, shared)) for model in models_of(players, benchmark)]
    settings.refuse_overridden([choice.model for choice in choices])
    choices += [*authors, *benchmark.readers(protocol)]
    if not choices:
        return
    for option in ("max_calls", "max_cost"):
        if getattr(settings, option) == 0:
            raise InvalidOption(
                f"--{option.replace('_', '-')} 0: {choices[0].model!r} is a model, and none could be asked: "
                "give a higher limit, or leave the models out"
            )
    if not settings.allow_unlisted:
        for choice in choices:
            _refuse_misspelt(settings, choice.model, benchmark)
    for choice in choices:
        check_url(settings.endpoint(choice.model).base_url)
        if needs_key:
            _require_key(settings, choice.model, benchmark)
    check_budget(settings.call_policy(), choices, known_prices(settings, store))


def known_prices(settings: RefreshSettings, store: Store) -> dict[str, Price]:
    """Return the prices by model: those of models.toml go before those of the data root's prices.csv."""
    return entry_prices(settings.model_entries(), load_prices(store))


def refuse_reserved_names(settings: RefreshSettings, benchmark: Benchmark) -> None:
    """Raise InvalidOption where an entry of models.toml has the name of a program."""
    for name in settings.model_entries():
        if name in benchmark.programs or name in benchmark.aliases:
            raise InvalidOption(
                f"{settings.models_file or MODELS_FILE}: [{name}]: {name} is the name of a program: give the "
                "table another name, and its own to the key model"
            )


def _refuse_misspelt(settings: RefreshSettings, model: str, benchmark: Benchmark) -> None:
    """Refuse a name that is close to a program's or an entry's, unless its server lists such a model.

    Any other name is treated as a model, so that a slip would be thousands of paid calls.
    """
    entries = settings.model_entries()
    if model in entries:
        return
    meant = _find_meant(model, benchmark, entries)
    if not meant:
        return
    endpoint = settings.endpoint()
    if endpoint.url_from == "default" and not endpoint.key:
        said = "no key is set to ask OpenAI whether it is a model"
    else:
        policy = replace(settings.call_policy(), timeout_s=_LISTING_TIMEOUT_S)
        extras = Extras(of_environment=environment_headers(os.environ))
        answer = asyncio.run(ask_for_models(policy, check_key(endpoint.key), extras))
        listed = listed_models(answer)
        if listed is not None and is_listed(model, listed):
            return
        said = (
            f"{endpoint.base_url} lists no models"
            if listed is None
            else f"{endpoint.base_url} does not list it as a model"
        )
    raise InvalidOption(
        f"{model!r} is no program and has no entry in {settings.models_file or MODELS_FILE}, and {said}: did "
        f"you mean {meant!r}? To ask a model of that name, give --allow-unlisted"
    )


def _find_meant(model: str, benchmark: Benchmark, entries: Collection[str]) -> str:
    """Return the name that this one is close to: of a program or an entry, or with a way to ask; else ""."""
    known = {name.casefold(): name for name in (*benchmark.programs, *benchmark.aliases, *entries)}
    for near in get_close_matches(model.casefold(), known, 1, _CLOSE):
        return known[near]
    prefix, colon, rest = model.partition(":")
    ways = get_close_matches(prefix.casefold(), benchmark.variants, 1, _CLOSE_PREFIX) if colon else []
    return f"{ways[0]}:{rest}" if ways else ""


def _require_key(settings: RefreshSettings, model: str, benchmark: Benchmark) -> None:
    endpoint = settings.endpoint(model)
    entry = settings.model_entries().get(model)
    for variable in entry.variables() if entry is not None else ():
        if not os.environ.get(variable, "").strip():
            raise InvalidOption(
                f"{settings.models_file or MODELS_FILE}: [{model}]: the environment variable {variable}, "
                "which it names, is not set: set it"
            )
    check_key(endpoint.key, endpoint.key_from or "")
    if endpoint.url_from == "default" and not endpoint.key:
        raise InvalidOption(
            f"{model!r} is a model (programs: {', '.join(benchmark.programs)}), and no model can be "
            "called: set PERENNIAL_API_KEY or OPENAI_API_KEY, name a server of your own with --base-url, or "
            f"describe it in {MODELS_FILE} (`perennial init` writes one)"
        )
