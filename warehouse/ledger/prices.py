"""What models cost: by models.toml, else by `prices.csv` in the data root, else by the list of genai-prices.

That list is bundled with its package, so it is dated; it counts only for the services that `find_provider`
knows. A price that nobody has written down is unknown (None), never 0: so is then what a call cost.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

from perennial.schemas.errors import UnreadableInput, shorten
from perennial.schemas.model_calls import Price
from perennial.schemas.providers import find_provider
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.warehouse.store.store import Store

PRICE_FILE = "prices.csv"
PRICE_COLUMNS = (
    "model",
    "prompt_usd_per_million",
    "completion_usd_per_million",
    "cached_usd_per_million",
    "as_of",
    "source",
)

_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?")


def load_prices(store: Store) -> dict[str, Price]:
    """Return the prices of `<root>/prices.csv` by model name, none where there is no such file.

    Raises UnreadableInput naming file, line and value where it is not of the form that PRICE_COLUMNS gives.
    """
    try:
        content = store.read_bytes(PRICE_FILE)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UnreadableInput(
            f"{store.location(PRICE_FILE)}: cannot be read: {error.strerror or error}; "
            "check the file and its permissions"
        ) from None
    return parse_prices(content, store.location(PRICE_FILE))


def parse_prices(content: bytes, name: str) -> dict[str, Price]:
    """Return the prices that a table in CSV holds, by model name; `name` is what errors call the table.

    Raises UnreadableInput for text that is not UTF-8, an unknown or missing column, a row of another
    length, a model twice, and a price that is no number of 0 or more.
    """
    reader = csv.reader(io.StringIO(_decode(content, name), newline=""), strict=True)
    header: list[str] = []
    prices: dict[str, Price] = {}
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not header:
                header = _check_header(cells)
                continue
            model, price = _row(header, cells)
            if model in prices:
                raise ValueError(f"model {shorten(model)!r} occurs twice; keep one of its rows")
            prices[model] = price
    except csv.Error as error:
        fault = f"not CSV ({error}); check its quotation marks"
        raise UnreadableInput(f"{name}, line {reader.line_num}: {fault}") from None
    except ValueError as error:
        raise UnreadableInput(f"{name}, line {reader.line_num}: {error}") from None
    if not header:
        raise UnreadableInput(f"{name}: no header; its first line must be {','.join(PRICE_COLUMNS)}")
    return prices


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableInput(
            f"{name}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8 text; save it as UTF-8"
        ) from None


def _check_header(cells: list[str]) -> list[str]:
    faults = (
        *(f"column {shorten(cell)!r} is not known" for cell in cells if cell not in PRICE_COLUMNS),
        *(f"column {column} is missing" for column in PRICE_COLUMNS[:3] if column not in cells),
        *(["a column occurs twice"] if len(set(cells)) < len(cells) else []),
    )
    if faults:
        raise ValueError(f"{faults[0]}; the header must be {','.join(PRICE_COLUMNS)}")
    return cells


def _row(header: list[str], cells: list[str]) -> tuple[str, Price]:
    if len(cells) != len(header):
        raise ValueError(
            f"{len(cells)} cells, expected {len(header)} as in the header; "
            "put quotation marks round a cell that holds a comma"
        )
    row = dict(zip(header, cells, strict=True))
    if not row["model"]:
        raise ValueError("no model; name the model as in --players, or remove the line")
    prompt, completion, cached = (_price(column, row.get(column, "")) for column in PRICE_COLUMNS[1:4])
    return row["model"], Price(prompt, completion, cached, source=PRICE_FILE)


def _price(column: str, text: str) -> float | None:
    if not text:
        return None
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(
            f"{column} is {shorten(text)!r}, expected US dollars per million tokens: a number of at least 0, "
            "such as 0.15; leave the cell empty where the price is unknown"
        )
    return float(text)


class ModelPrices(Mapping[str, Price]):
    """Prices by model: `entries` of models.toml first, then those `written` in prices.csv, then the list's.

    The models of the list are not iterated over. Models without an entry are asked at `base_url`.
    `in_batches` says of which models the price of a server's batch counts.
    """

    def __init__(
        self,
        entries: Mapping[str, ModelEntry],
        base_url: str,
        written: Mapping[str, Price] | None = None,
        in_batches: Callable[[str], bool] = lambda model: False,
    ) -> None:
        self._entries = entries
        self._base_url = base_url
        self._written = written or {}
        self._in_batches = in_batches

    def __getitem__(self, model: str) -> Price:
        entry = self._entries.get(model) or ModelEntry()
        price = entry.price or self._written.get(model) or self._look_up(model, entry)
        if price is None and not entry.batch:
            raise KeyError(model)
        price = replace(price or Price(None, None), batch_share=entry.batch_share)
        return price.in_batch() if self._in_batches(model) else price

    def __iter__(self) -> Iterator[str]:
        return (model for model in dict.fromkeys((*self._entries, *self._written)) if model in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _look_up(self, model: str, entry: ModelEntry) -> Price | None:
        provider = find_provider(entry.base_url or self._base_url)
        # Another tier of service has another price.
        if provider is None or "service_tier" in {**entry.api, **entry.extra_body}:
            return None
        return listed_price(provider.price_list, entry.model or model, datetime.now(UTC).date())


# What a call is billed for beside tokens in and out: its cost is then more than these make.
_OTHER_UNITS = {"requests_kcount", "output_reasoning_mtok", "output_citation_mtok"}


@cache
def listed_price(provider: str, model: str, day: date) -> Price | None:
    """The price of a provider's model on that day, at its dearest hour, None where the list has none."""
    # Takes up to a second.
    from genai_prices import Usage, calc_price

    source = f"genai-prices {version('genai-prices')}, {_newest_change(day)}"
    prices = []
    for hour in range(24):
        moment = datetime(day.year, day.month, day.day, hour, tzinfo=UTC)
        try:
            priced = calc_price(Usage(), model, provider_id=provider, genai_request_timestamp=moment)
        except LookupError:
            return None
        amounts = {unit: amount for unit, amount in vars(priced.model_price).items() if amount is not None}
        if not {"input_mtok", "output_mtok"} <= amounts.keys() or amounts.keys() & _OTHER_UNITS:
            return None
        limits = {tier.start for amount in amounts.values() for tier in getattr(amount, "tiers", ())}
        longer = tuple((limit, _read_amounts(amounts, limit + 1, source)) for limit in sorted(limits))
        prices.append(replace(_read_amounts(amounts, 0, source), longer=longer))
    return max(prices, key=lambda price: (price.completion or 0.0, price.prompt or 0.0))


def _read_amounts(amounts: Mapping[str, Any], prompt_tokens: int, source: str) -> Price:
    def read(unit: str) -> float | None:
        amount = amounts.get(unit)
        tiers = [tier.price for tier in getattr(amount, "tiers", ()) if prompt_tokens > tier.start]
        return None if amount is None else float(tiers[-1] if tiers else getattr(amount, "base", amount))

    return Price(read("input_mtok"), read("output_mtok"), read("cache_read_mtok"), source=source)


@cache
def _newest_change(day: date) -> date:
    """The day of the last change of a price that the list has, which bears no date itself."""
    from genai_prices.data import providers

    models = (model for provider in providers for model in provider.models if isinstance(model.prices, list))
    starts = (getattr(price.constraint, "start_date", None) for model in models for price in model.prices)
    return max((start for start in starts if start is not None and start <= day), default=date.min)
