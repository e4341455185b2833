"""What a refresh prints of a published edition of BeyondBench beside its leaderboard."""

from perennial.schemas.plan import EditionPlan
from perennial.warehouse.catalog.catalog import Catalog

_MOST_NAMED = 3  # tasks of a player


def summary(catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
    """Return what the gate tried, and how many problems were excluded, missing or reused."""
    where = f"WHERE edition = '{plan.edition}'"
    _, ((problems, mutations, unique),) = catalog.query(
        'SELECT sum(problems)::BIGINT, sum(mutations)::BIGINT, sum("unique")::BIGINT '
        f"FROM beyondbench_gate {where}"
    )
    shown = {
        "gate": f"{problems or 0:,} problems are sound, {unique or 0:,} have one solution by proof; the "
        f"grader was right about {mutations or 0:,} changed answers"
    }
    _, ((reused,),) = catalog.query(
        f"SELECT count(*) FILTER (reused)::BIGINT FROM beyondbench_instances {where}"
    )
    _, rules = catalog.query(
        f"SELECT rule, count(*)::BIGINT FROM rejections {where} AND stage = 'problems' GROUP BY 1 ORDER BY 1"
    )
    listed = [f"{rule} in {number:,} sizes of variations" for rule, number in rules]
    if reused:
        listed.append(f"{reused:,} problems of earlier editions used again")
    shown |= {"not asked": text} if (text := _describe_unasked(catalog, where)) else {}
    return shown | ({"left out": "; ".join(listed) + " (table rejections)"} if listed else {})


def _describe_unasked(catalog: Catalog, where: str) -> str:
    """Return how many problems each player was not asked, and of which sizes in which tasks."""
    _, rows = catalog.query(
        "SELECT player, task, min(size), max(size), sum(unasked)::BIGINT FROM beyondbench_unasked "
        f"{where} GROUP BY ALL ORDER BY player, 5 DESC, task"
    )
    players: dict[str, list[tuple[str, int, int, int]]] = {}
    for player, *of_task in rows:
        players.setdefault(player, []).append(tuple(of_task))
    texts = []
    for player, tasks in players.items():
        named = [f"{task} of size {low} to {high}" for task, low, high, _ in tasks[:_MOST_NAMED]]
        more = [f"{len(tasks) - _MOST_NAMED} more tasks"] if len(tasks) > _MOST_NAMED else []
        texts.append(f"{player} {sum(each[3] for each in tasks):,} problems ({', '.join(named + more)})")
    return f"{'; '.join(texts)}: table beyondbench_unasked" if texts else ""
