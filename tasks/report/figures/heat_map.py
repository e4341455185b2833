"""Success rate of each player in each domain: players are rows, domains columns from easy to hard."""

from collections import defaultdict
from collections.abc import Sequence

from perennial.tasks.report.content import (
    Drawing,
    Query,
    Record,
    ReportData,
    Section,
    figure,
    omit_unanalysed,
)
from perennial.tasks.report.figures.fields import Map, draw_fields, mean_rates
from perennial.tasks.report.wording import name_populations, span

DOMAINS = Query(
    "domains",
    """
-- How does each player do in each domain and setting?
SELECT setting, domain, player, n AS scored, value AS success_rate, low AS success_rate_low,
       high AS success_rate_high, population
FROM statistics
WHERE edition = $edition AND statistic = 'success_rate' AND domain <> 'all'
ORDER BY setting, domain, player
""",
)

_KEY = "domains"
_TITLE = "Success rate by domain and player"


@figure(_KEY, _TITLE, DOMAINS)
def heat_map(data: ReportData) -> Section:
    """Return the section of success rates by domain and player."""
    table = data.tables[_KEY]
    rows = data.known_rows(_KEY, "success_rate")
    if not rows:
        return omit_unanalysed(_KEY, _TITLE, [table])
    grouped = {
        setting: _groups([row for row in rows if row["setting"] == setting]) for setting in data.settings
    }
    # Players of few domains say little of how easy the others are.
    usual = _order_by_ease([row for groups in grouped.values() for _, listed in groups[:1] for row in listed])
    domains = [*usual, *sorted({row["domain"] for row in rows} - {*usual})]
    drawings = [
        _draw(f"{setting}: {group}", listed, data.players(), domains)
        for setting, groups in grouped.items()
        for group, listed in groups
    ]
    caption = (
        "Each field is the share of a player's scored episodes in a domain that it solved; dark is 0, light "
        "is 1, empty is not scored. Where there is room, the field shows the number and its 95% interval; "
        f"hover over a field to read both. {name_populations(rows)} n is the number of scored episodes. "
        "In every drawing domains run from the easiest to the hardest, by their mean rate over players "
        "and settings. Players with answers in fewer than half of the domains are listed separately."
    )
    return Section(_KEY, _TITLE, caption, (table,), tuple(drawings))


def _groups(rows: Sequence[Record]) -> list[tuple[str, list[Record]]]:
    """Return the rows of the players who met half of the domains and of those who met fewer, titled."""
    met: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        met[row["player"]].add(row["domain"])
    n_domains = len({row["domain"] for row in rows})
    found = []
    for is_half in (True, False):
        listed = [row for row in rows if (2 * len(met[row["player"]]) >= n_domains) == is_half]
        if listed:
            players = {row["player"] for row in listed}
            count = f"{len(players)} {'player' if len(players) == 1 else 'players'}"
            extent = f"{span(len(met[player]) for player in players)} of {n_domains} domains"
            found.append(
                (f"{count} in {extent}, n = {span(row['scored'] for row in listed)} per field", listed)
            )
    return found


def _order_by_ease(rows: Sequence[Record]) -> list[str]:
    """Return the domains from the one with the highest mean rate to that with the lowest."""
    mean = mean_rates([{**row, "rate": row["success_rate"]} for row in rows], "domain")
    return sorted(mean, key=lambda domain: (-mean[domain], domain))


def _draw(heading: str, rows: Sequence[Record], players: Sequence[str], domains: Sequence[str]) -> Drawing:
    here = {row["domain"] for row in rows}
    by_ease = [domain for domain in domains if domain in here]
    drawn = [
        {
            "player": row["player"],
            "column": row["domain"],
            "rate": row["success_rate"],
            "low": row["success_rate_low"],
            "high": row["success_rate_high"],
            "n": row["scored"],
        }
        for row in rows
    ]
    return draw_fields(
        heading, f"{_TITLE}: {heading}", drawn, by_ease, players, Map("success rate", "domain")
    )
