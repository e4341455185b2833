"""Prices: unknown is never zero, a wrong cell is named, and a known service has those of a dated list."""

from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from genai_prices import Usage, calc_price

from perennial.schemas.errors import UnreadableInput
from perennial.schemas.model_calls import Price
from perennial.schemas.providers import find_provider
from perennial.schemas.settings.model_entry import ModelEntry
from perennial.tasks.llm.replies import cost_usd
from perennial.warehouse.ledger.prices import (
    PRICE_COLUMNS,
    ModelPrices,
    listed_price,
    load_prices,
    parse_prices,
)
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


def test_comments_blank_lines_quotes_and_a_byte_order_mark_are_read() -> None:
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


@pytest.mark.parametrize(
    ("url", "model"),
    [
        ("https://api.anthropic.com/v1", "claude-sonnet-4-5"),
        ("https://API.groq.com:443/openai/v1", "llama-3.1-8b-instant"),
        ("https://openrouter.ai/api/v1", "openai/gpt-4o"),
    ],
)
def test_known_services_have_the_prices_of_a_dated_list(url: str, model: str) -> None:
    now = datetime.now(UTC)
    price = ModelPrices({}, url)[model]
    assert price.source.startswith(f"genai-prices {version('genai-prices')}, 20")
    provider = "openrouter" if "openrouter" in url else urlsplit(url).netloc.split(".")[1].lower()
    for tokens in (1_000, 150_000, 450_000):
        usage = Usage(input_tokens=tokens, output_tokens=700, cache_read_tokens=600)
        listed = calc_price(usage, model, provider_id=provider, genai_request_timestamp=now)
        assert cost_usd(price, tokens, 700, 600) == pytest.approx(float(listed.total_price))
    assert price.in_batch(0.5).for_prompt(450_000).prompt == price.for_prompt(450_000).prompt / 2


def test_a_listed_price_is_that_of_its_day_and_of_its_dearest_hour() -> None:
    before, since = (listed_price("mistral", "mistral-large-4", date(2026, 10, day)) for day in (28, 29))
    assert before != since
    assert getattr(since, "source", "").endswith(", 2026-10-29")
    model = "deepseek-v4-flash"
    price = listed_price("deepseek", model, date(2026, 11, 20))
    hours = [datetime(2026, 11, 20, hour, tzinfo=UTC) for hour in range(24)]
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    costs = {
        calc_price(
            usage, "deepseek-v4-flash", provider_id="deepseek", genai_request_timestamp=hour
        ).total_price
        for hour in hours
    }
    assert len(costs) > 1
    assert cost_usd(price, 1_000_000, 1_000_000, 0) == pytest.approx(float(max(costs)))
    # It bills each request too.
    assert listed_price("perplexity", "sonar-pro", date(2026, 11, 20)) is None


@pytest.mark.parametrize(
    "url",
    [
        "https://api.mistral.ai.evil.net/v1",
        "https://evil-api.mistral.ai/v1",
        "http://api.mistral.ai/v1",
        "https://someone@api.mistral.ai/v1",
        "https://api.mistral.ai:8443/v1",
        "https://evil.net/api.mistral.ai/v1",
        "http://192.168.3.4:8000/v1",
    ],
)
def test_other_servers_have_no_listed_price(url: str) -> None:
    assert "mistral-large-4" in ModelPrices({}, "https://api.mistral.ai/v1")
    assert ModelPrices({}, url).get("mistral-large-4") is None
    assert not find_provider(url)


def test_prices_that_are_written_go_before_listed_ones() -> None:
    url = "https://api.x.ai/v1"
    entries = {
        "mine": ModelEntry(model="grok-4.3", base_url=url, batch=True),
        "grok-4.3": ModelEntry(prompt_usd_per_million=7.0, completion_usd_per_million=9.0),
        "fast": ModelEntry(model="grok-4.3", api={"service_tier": "priority"}),
        "moved": ModelEntry(model="grok-4.3", base_url="http://127.0.0.1:9000/v1"),
    }
    prices = ModelPrices(entries, url, {"grok-4.20": Price(3.0, 4.0, source="prices.csv")})
    assert (prices["grok-4.3"], prices["grok-4.3"].source) == (Price(7.0, 9.0), "models.toml")
    assert (prices["grok-4.20"], prices["grok-4.20"].source) == (Price(3.0, 4.0), "prices.csv")
    assert prices["mine"].batch_share == 0.5
    assert prices["mine"].source.startswith("genai-prices")
    in_batches = ModelPrices(entries, url, None, {"mine"}.__contains__)
    assert in_batches["mine"].completion == prices["mine"].completion / 2
    assert [name for name in ("fast", "moved", "grok-none") if name in prices] == []
