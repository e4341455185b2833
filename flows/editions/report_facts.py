"""What stands at the head of a report: what the edition is, how models were asked, what it can detect."""

import json
from datetime import UTC

from perennial.flows.benchmark import Benchmark
from perennial.flows.editions.diagnosis import find_problems
from perennial.flows.editions.figure_data import fill_query, read_record
from perennial.flows.refresh.planning.plan_precision import measure_plan
from perennial.schemas.plan import EditionPlan
from perennial.tasks.report.content import Query, Record
from perennial.tasks.statistics.scale.design import POWER
from perennial.warehouse.catalog.catalog import Catalog
from perennial.warehouse.catalog.confinement import quote

SIZES = Query(
    "sizes",
    """
-- How many domains, instances and runs has each setting?
SELECT setting, count(DISTINCT domain), count(DISTINCT instance_id), median(runs)
FROM instances
LEFT JOIN (
    SELECT instance_id, player, count(*) AS runs FROM episodes WHERE edition = $edition GROUP BY ALL
) USING (instance_id)
WHERE edition = $edition
GROUP BY setting
ORDER BY setting
""",
)
_MOST_PROBLEMS = 5


def state_facts(
    catalog: Catalog, benchmark: Benchmark, plan: EditionPlan, retired: bool
) -> tuple[tuple[str, str], ...]:
    """Return what the head of the report says of the plan's edition, name and value each."""
    record = read_record(catalog.query, plan.edition)
    return (
        *_facts(record, plan, retired),
        *_protocols(catalog, plan.edition),
        *_precision(catalog, plan.edition, benchmark),
        *_problems(catalog, plan.edition),
        *_audit(catalog, plan.edition),
    )


def _facts(record: Record, plan: EditionPlan, retired: bool) -> tuple[tuple[str, str], ...]:
    place = "in exports, as the edition is retired" if retired else "in no export"
    private = f"{record['private']:,}, {place}; figures are over all instances, these included"
    return (
        ("benchmark", str(record["benchmark"])),
        ("published", f"{record['created_at'].astimezone(UTC):%Y-%m-%d %H:%M} UTC"),
        ("seed", _describe_seed(plan)),
        ("perennial", str(record["code_version"])),
        *((name, f"{record[name]:,}") for name in ("domains", "instances", "episodes")),
        *([("private instances", private)] if record["private"] else []),
        ("canary", plan.canary),
    )


def _protocols(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """Return how models were asked in evaluations where that is not the benchmark's usual way."""
    sql = f"SELECT evaluation, settings FROM evaluations WHERE edition = {quote(edition)} ORDER BY evaluation"
    names = {name: json.loads(text).get("protocol", {}).get("name") for name, text in catalog.query(sql)[1]}
    told = [f"{protocol} in evaluation {name}" for name, protocol in names.items() if protocol]
    return [("protocol", ", ".join(told))] if told else []


def _problems(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """Return the commonest reasons why players have no score, each with an example."""
    found = find_problems(catalog, edition)
    more = [f"{len(found) - _MOST_PROBLEMS} more"] if len(found) > _MOST_PROBLEMS else []
    told = [problem.describe() for problem in found[:_MOST_PROBLEMS]]
    return [("problems", "; ".join(told + more))] if found else []


def _audit(catalog: Catalog, edition: str) -> list[tuple[str, str]]:
    """Return how many expectations held, and how to see each of them; nothing of what was not audited."""
    ((held,),) = catalog.query(f"SELECT count(*) FROM audits WHERE edition = {quote(edition)} AND success")[1]
    command = f"perennial audit {edition} --docs reports/{edition}-data-docs"
    return [("audit", f"{held:,} expectations held; {command} shows each in Data Docs")] if held else []


def _precision(catalog: Catalog, edition: str, benchmark: Benchmark) -> list[tuple[str, str]]:
    """Return the differences that the edition detects, where its domains are a draw."""
    if benchmark.declaration.variance is None:
        return []
    rows = catalog.query(fill_query(SIZES, edition))[1]
    told = []
    for setting, domains, instances, runs in rows:
        measured = measure_plan(benchmark.name, {setting: (domains, instances)}, max(1, round(runs or 1)))
        told += [f"{name} {one['detectable_difference']:.3f}" for name, one in measured.items()]
    note = f"in success rate between two models, over new domains, with power {POWER:g}"
    source = f"variance of {benchmark.declaration.variance.source}"
    return [("detectable difference", f"{', '.join(told)} ({note}; {source})")] if told else []


def _describe_seed(plan: EditionPlan) -> str:
    seed = f"SHA-256 {plan.seed_commitment}" if plan.seed is None else str(plan.seed)
    return f"{seed} ({plan.freshness})"
