"""Two editions compared by the players and settings that both have.

No instance is ever in two editions, so their answers are independent; what they may share are domains, to
which rates are standardised, and anchors, which tell drift of the edition from change of a player.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import repeat

from perennial.tasks.report.content import Comparison, Query, Record, ReportData, ReportTable
from perennial.tasks.statistics.multiplicity import holm
from perennial.tasks.statistics.ranks.linked_scale import Edition, Estimate, link_editions
from perennial.tasks.statistics.ranks.standardised import Domains, compare_standardised, estimate_domain_sd

ANSWER_PATTERNS = Query(
    "answer_patterns",
    """
-- Which players solved which instances? One row for all instances of a domain on which each player had the
-- same result:
-- `solved` of `runs` scored runs, in the order of `players`.
WITH answers AS (
    SELECT i.setting, i.domain, e.instance_id, e.player, count(*) FILTER (e.success) AS solved,
           count(*) AS runs
    FROM episodes AS e
    JOIN instances AS i USING (edition, instance_id)
    WHERE e.edition = $edition AND e.status <> 'api_error' AND e.version IS NULL
    GROUP BY ALL
), patterns AS (
    SELECT setting, domain, instance_id,
           list(player ORDER BY player) AS players,
           list(solved ORDER BY player) AS solved,
           list(runs ORDER BY player) AS runs
    FROM answers
    GROUP BY ALL
)
SELECT setting, domain, players, solved, runs, count(*) AS instances
FROM patterns
GROUP BY ALL
ORDER BY setting, domain, players, solved, runs
""",
)

KEY = "edition_comparison"
LINK_KEY = "edition_link"
COLUMNS = (
    "setting",
    "player",
    "success_rate",
    "low",
    "high",
    "domain_sd",
    "other_success_rate",
    "other_low",
    "other_high",
    "other_domain_sd",
    "shared_domains",
    "standardised_rate",
    "other_standardised_rate",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "p_holm",
)
LINK_COLUMNS = (
    *("setting", "of", "player", "shared_domains", "anchors"),
    *("value", "standard_error", "low", "high", "p_value", "slope_p_holm", "p_holm"),
)
DRIFT, ANCHOR, CHANGE = "drift of the edition", "change of an anchor", "change of a player"


def comparison_table(data: ReportData, other: Comparison) -> ReportTable:
    """Return a row for each setting and player that both editions have, in the order of the headline.

    Rates are on each edition's own instances, `domain_sd` their standard deviation over editions of as many
    random domains. `difference` is this edition's rate minus the other's, both standardised to the domains
    that both have, with interval and p of `compare_standardised`; `p_holm` is that p after Holm's correction
    over all rows.
    """
    one, two = _rates_of(other.own_answers), _rates_of(other.answers)
    others = {(row["setting"], row["player"]): row for row in other.headline.records()}
    rows, p_values = [], []
    for row in data.tables["headline"].records():
        key = (row["setting"], row["player"])
        if key not in others or row["success_rate"] is None or others[key]["success_rate"] is None:
            continue
        found = compare_standardised(one[key], two[key])
        p_values.append(found.p_value if found else None)
        standardised = (
            (found.domains, found.rate, found.other, found.value, found.low, found.high)
            if found
            else (0, *repeat(None, 5))
        )
        sides = ((row, one[key]), (others[key], two[key]))
        rates = [
            value for record, rates in sides for value in (*_interval(record), estimate_domain_sd(rates))
        ]
        rows.append((*key, *rates, *standardised))
    whole = tuple((*row, p, q) for row, p, q in zip(rows, p_values, holm(p_values), strict=True))
    computed = f"Compared with the same answers of edition {data.edition}, standardised to shared domains."
    return ReportTable(KEY, COLUMNS, whole, other.answers.sql, computed)


def link_table(data: ReportData, other: Comparison) -> ReportTable:
    """Return, for each setting that anchors tie, the edition's drift and its players' changes, in logits.

    A positive drift means that this edition is harder than the other one, a positive change that the player
    is abler in this edition. Holm's correction covers the drifts of all settings as one family, and the
    changes of all players that are no anchors as another. `slope_p_holm` tests
    that a player follows difficulty as the others do; that of the drift is the smallest one.
    """
    rows: list[tuple[object, ...]] = []
    for setting in data.settings:
        one, two = (_edition_of(answers, setting) for answers in (other.own_answers, other.answers))
        link = link_editions(one, two, other.anchors)
        if link is None:
            continue
        given = (link.shared_domains, len(link.anchors))
        worst = min(link.slopes.values(), default=None)
        rows.append((setting, DRIFT, "", *given, *_numbers(link.drift), worst))
        ordered = sorted(link.changes.items(), key=lambda item: (item[0] not in link.anchors, item[0]))
        rows += [
            (
                setting,
                ANCHOR if player in link.anchors else CHANGE,
                player,
                *given,
                *_numbers(change),
                link.slopes.get(player),
            )
            for player, change in ordered
        ]
    adjusted: dict[int, float | None] = {}
    for family in (DRIFT, CHANGE):
        members = [number for number, row in enumerate(rows) if row[1] == family]
        p_values = [float(str(rows[number][-2])) for number in members]
        adjusted |= dict(zip(members, holm(p_values), strict=True))
    whole = tuple((*row, adjusted.get(number)) for number, row in enumerate(rows))
    computed = f"Fitted together with the same answers of edition {data.edition}, tied by anchors."
    return ReportTable(LINK_KEY, LINK_COLUMNS, whole, other.answers.sql, computed)


def _interval(record: Record) -> tuple[float | None, ...]:
    return tuple(record[f"success_rate{end}"] for end in ("", "_low", "_high"))


def _numbers(found: Estimate) -> tuple[float, ...]:
    return found.value, found.error, found.low, found.high, found.p_value


def _rates_of(answers: ReportTable) -> Mapping[tuple[str, str], Domains]:
    """Return by setting and player, and then by domain, how many instances have each mean over runs."""
    found: dict[tuple[str, str], dict[str, Counter[float]]] = defaultdict(lambda: defaultdict(Counter))
    for row in answers.records():
        for player, solved, runs in zip(row["players"], row["solved"], row["runs"], strict=True):
            found[row["setting"], player][row["domain"]][solved / runs] += row["instances"]
    return found


def _edition_of(answers: ReportTable, setting: str) -> Edition:
    return [
        (
            row["domain"],
            dict(zip(row["players"], zip(row["solved"], row["runs"], strict=True), strict=True)),
            row["instances"],
        )
        for row in answers.records()
        if row["setting"] == setting
    ]
