"""View `revisions_correlation`: Pearson's r over domains with Fisher's interval, or why there is none."""

from importlib.resources import files

import duckdb
import pytest
from scipy.stats import pearsonr

SQL = (files("perennial.warehouse.kumo") / "views/revisions_correlation.sql").read_text("utf-8")
COLUMNS = "edition VARCHAR, setting VARCHAR, player VARCHAR, revised BIGINT, gain DOUBLE, domain_gain DOUBLE"


def correlate(gains: list[tuple[int, float | None, float | None]]) -> dict[str, object]:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE revisions_gain ({COLUMNS})")
    connection.executemany("INSERT INTO revisions_gain VALUES ('e', 'easy', 'm', ?, ?, ?)", gains)
    result = connection.execute(SQL)
    (row,) = result.fetchall()
    return dict(zip((column[0] for column in result.description), row, strict=True))


def test_both_coefficients_are_those_of_scipy() -> None:
    gains = [
        (0, None, 0.0),
        (3, 0.5, 0.03),
        (7, 0.2, 0.028),
        (14, 0.1, 0.028),
        (23, 0.4, 0.184),
        (2, None, None),
    ]
    row = correlate(gains)
    domains = [(revised, gain) for revised, _, gain in gains if gain is not None]
    books = [(revised, gain) for revised, gain, _ in gains if gain is not None]
    assert (row["domains"], row["gain_domains"], row["population"]) == (5, 4, "new domains")
    for name, pairs in (("r", domains), ("gain_r", books)):
        expected = pearsonr(*zip(*pairs, strict=True))
        assert row[name] == pytest.approx(expected.statistic)
        interval = expected.confidence_interval()
        assert (row[f"{name}_low"], row[f"{name}_high"]) == pytest.approx((interval.low, interval.high))
    assert row["no_interval"] is None


@pytest.mark.parametrize(
    ("gains", "r", "why"),
    [
        ([(1, 0.1, 0.1), (2, 0.3, 0.2), (5, 0.2, 0.3)], 0.96077, "fewer than four domains"),
        ([(1, 0.1, 0.1), (2, 0.3, 0.2)], None, "fewer than four domains"),
        ([(n, 0.0, 0.0) for n in range(5)], None, "the domains are alike, or on one line"),
        ([(4, 0.1, n / 9) for n in range(5)], None, "the domains are alike, or on one line"),
        ([(n, 0.1, n / 8) for n in range(5)], 1.0, "the domains are alike, or on one line"),
    ],
)
def test_what_has_no_interval_says_why(
    gains: list[tuple[int, float | None, float | None]], r: float | None, why: str
) -> None:
    row = correlate(gains)
    assert row["r"] == (None if r is None else pytest.approx(r, abs=1e-5))
    assert (row["r_low"], row["r_high"], row["no_interval"]) == (None, None, why)
