"""What a refresh prints of a published edition of BeyondBench beside its leaderboard."""

from schemas.plan import EditionPlan
from warehouse.catalog.catalog import Catalog


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
    return shown | ({"left out": "; ".join(listed) + " (table rejections)"} if listed else {})
