"""The leaderboard of an edition with the measures of its benchmark beside the success rate."""

from collections.abc import Iterable

from perennial.schemas.statistics.measure import Measure
from perennial.warehouse.catalog.sql.confinement import quote


def leaderboard_sql(edition: str, measures: Iterable[Measure]) -> str:
    """Return the query: each measure adds its column, and the same with _low, _high and _no_interval."""
    listed = tuple(measures)
    columns = "".join(
        f",\n       {m.column}, {m.column}_low, {m.column}_high, {m.column}_no_interval" for m in listed
    )
    joins = "".join(_join(measure) for measure in listed)
    return (
        "-- Which player solves how much in each setting?\n"
        "SELECT setting, place, player_group, rank, player, instances, attempted, scored, not_asked,\n"
        "       success_rate, success_rate_low, success_rate_high, population,\n"
        "       common_instances, common_rate, common_rate_low, common_rate_high,\n"
        "       adjusted_rate, adjusted_rate_se, adjusted_rate_se_domains, ranked_by,\n"
        f"       rank_low, rank_high{columns}\n"
        f"FROM leaderboard{joins}\n"
        f"WHERE edition = {quote(edition)}\n"
        "ORDER BY setting, place, player"
    )


def _join(measure: Measure) -> str:
    name = measure.column
    return (
        "\nLEFT JOIN (\n"
        f"    SELECT edition, setting, player, value AS {name}, low AS {name}_low, high AS {name}_high,\n"
        f"           no_interval AS {name}_no_interval\n"
        "    FROM statistics\n"
        f"    WHERE statistic = {quote(measure.statistic)} AND convention = {quote(measure.convention)}\n"
        "      AND domain = 'all' AND other = ''\n"
        ") USING (edition, setting, player)"
    )
