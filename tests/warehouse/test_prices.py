"""The price table: unknown is never zero, and a wrong cell is named."""

from pathlib import Path

import pytest

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls import Price
from perennial.warehouse.ledger.prices import PRICE_COLUMNS, load_prices, parse_prices
from perennial.warehouse.store.store import Store

HEADER = ",".join(PRICE_COLUMNS)


def write_prices(root: Path, *lines: str) -> Store:
    (root / "prices.csv").write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return Store(str(root))


def test_an_empty_cell_is_unknown_and_0_is_a_price(tmp_path: Path) -> None:
    store = write_prices(
        tmp_path, "unknown,,,,,", "free,0,0.0,0,,", "half,0.15,,,,", "some, 1.25 ,10,0.125,,"
    )
    assert load_prices(store) == {
        "unknown": Price(None, None, None),
        "free": Price(0.0, 0.0, 0.0),
        "half": Price(0.15, None, None),
        "some": Price(1.25, 10.0, 0.125),
    }
    assert load_prices(Store(f"{tmp_path}/other")) == {}


def test_comments_blank_lines_quotes_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    text = (
        f'\ufeff# my prices, as of today\n\n{HEADER}\n  # "not a row\n"a,b",1,2,,"2026, spring",x\r\n,,,,,\n'
    )
    assert parse_prices(text.encode(), "p") == {"a,b": Price(1.0, 2.0)}


def test_a_short_table_needs_three_columns_only() -> None:
    text = "completion_usd_per_million,model,prompt_usd_per_million\n2,m,1\n"
    assert parse_prices(text.encode(), "p") == {"m": Price(1.0, 2.0)}


@pytest.mark.parametrize(
    "value", ["-1", "$1", "1,5", "nan", "inf", "1_0", "free", "1e3", "0x1", "١", "1" * 400]
)
def test_a_price_that_is_no_number_is_named_with_its_line(tmp_path: Path, value: str) -> None:
    store = write_prices(tmp_path, "a,1,2,,,", f'b,1,"{value}",,,')
    with pytest.raises(UnreadableInput) as caught:
        load_prices(store)
    told = str(caught.value)
    assert told.startswith(f"{tmp_path}/prices.csv, line 3: completion_usd_per_million is '{value[:20]}")
    assert "leave the cell empty" in told
    assert "\n" not in told
    assert len(told) < 400


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "p: no header; its first line must be model,"),
        ("# only a comment\n", "p: no header"),
        ("model,prompt\n", "p, line 1: column 'prompt' is not known"),
        ("model,source\n", "p, line 1: column prompt_usd_per_million is missing"),
        (f"{HEADER},model\n", "p, line 1: a column occurs twice"),
        (f"{HEADER}\n\na,1,2\n", "p, line 3: 3 cells, expected 6"),
        (f"{HEADER}\na,1,2,,,,\n", "p, line 2: 7 cells, expected 6"),
        (f"{HEADER}\n,1,2,,,\n", "p, line 2: no model"),
        (f"{HEADER}\na,1,2,,,\n#\na,1,3,,,\n", "p, line 4: model 'a' occurs twice"),
        (f'{HEADER}\na,1,2,,,"open\n', "p, line 2: not CSV"),
    ],
)
def test_a_table_of_another_form_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(UnreadableInput) as caught:
        parse_prices(text.encode(), "p")
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"p, line 2: byte 0xff is not UTF-8 text"):
        parse_prices(HEADER.encode() + b"\n\xff", "p")
    (tmp_path / "prices.csv").mkdir()
    with pytest.raises(UnreadableInput, match=r"prices\.csv: cannot be read"):
        load_prices(Store(str(tmp_path)))
