"""models.toml: a table for each model that is not asked as the settings say."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from perennial.schemas.errors import InvalidOption, quote, shorten, suggest
from perennial.schemas.model_calls.price import Price
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.schemas.settings.toml_file import read_toml

MODELS_FILE = "models.toml"
_WIDTH = 200
# What may hold a key that somebody put there is never shown.
_SHOWN = ("max_output", "context", "system_role", "requests_per_minute", "tokens_per_minute", "concurrency")


def load_models(named: str = "") -> dict[str, ModelEntry]:
    """Return the entries of models.toml, or of the file that is named, by the names of their tables.

    None where there is no models.toml. Raises InvalidOption, in one line with file and key, for a named file
    that is missing and for an entry that makes no sense.
    """
    path = Path(named or MODELS_FILE)
    values = read_toml(path)
    if values is None:
        if named:
            raise InvalidOption(f"--models-file {named!r}: no such file; check the path")
        return {}
    return {name: _entry(path, name, value) for name, value in values.items()}


def _entry(path: Path, name: str, value: object) -> ModelEntry:
    where = f"{path}: [{shorten(name if name.isprintable() else repr(name))}]"
    if not isinstance(value, dict):
        raise InvalidOption(f"{where}: expected a table for each model, such as [o3]; move the key into one")
    if not name.strip() or name != name.strip() or "," in name or not name.isprintable():
        raise InvalidOption(f"{where}: expected a name as in --players, without commas and spaces around it")
    try:
        return ModelEntry(**value)
    except ValidationError as error:
        problem = error.errors()[0]
    key = shorten(".".join(str(part) for part in problem["loc"] if not str(part).startswith("json")), 80)
    if problem["type"] == "extra_forbidden":
        known = ", ".join(ModelEntry.model_fields) + suggest(key, ModelEntry.model_fields)
        raise InvalidOption(f"{where} {quote(key)[1:-1]}: there is no such key; known: {known}") from None
    message = shorten(problem["msg"].removeprefix("Value error, "), _WIDTH)
    given = f", got {quote(problem['input'])}" if key in _SHOWN else ""
    raise InvalidOption(f"{where} {quote(key)[1:-1]}: {message}{given}") from None


def entry_prices(
    entries: Mapping[str, ModelEntry], shared: Mapping[str, Price] | None = None
) -> dict[str, Price]:
    """Return the prices by model: those that the entries give go before the `shared` ones."""
    prices = dict(shared or {})
    for name, entry in entries.items():
        price = entry.price or prices.get(name) or (Price(None, None) if entry.batch else None)
        if price is not None:
            prices[name] = replace(price, batch_share=entry.batch_share)
    return prices
