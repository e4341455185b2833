"""The operator's price table, `prices.csv` in the data root; prices change, so none is bundled.

A price that nobody has written down is unknown (None), never 0: what a call cost is then unknown too.
"""

import csv
import io
import re

from perennial.schemas.errors import UnreadableInput, shorten
from perennial.schemas.model_calls import Price
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
    return row["model"], Price(prompt, completion, cached)


def _price(column: str, text: str) -> float | None:
    if not text:
        return None
    if _NUMBER.fullmatch(text) is None:
        raise ValueError(
            f"{column} is {shorten(text)!r}, expected US dollars per million tokens: a number of at least 0, "
            "such as 0.15; leave the cell empty where the price is unknown"
        )
    return float(text)
