"""What a plan can tell apart, before it is played: the detectable difference of two models, by setting."""

from collections import Counter
from collections.abc import Mapping

from perennial.schemas.benchmark import find_declaration
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import JsonObject, Row
from perennial.tasks.statistics.scale.design import POWER, Design, measure_design
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.store.store import Store

Sizes = Mapping[str, tuple[int, int]]


def read_sizes(store: Store, plan: EvaluationPlan) -> dict[str, tuple[int, int]]:
    """Return how many domains and instances of each setting an evaluation covers, earlier ones included."""
    from perennial.flows.stages.play_episodes import instance_order

    order = instance_order(store, plan.edition)
    table = store.read_table(table_file("instances", plan.edition), ["instance_id", "domain", "setting"])
    domains: dict[str, set[str]] = {}
    instances: Counter[str] = Counter()
    for row in table.to_pylist():
        if order[row["instance_id"]] < (plan.instances or len(order)):
            domains.setdefault(row["setting"], set()).add(row["domain"])
            instances[row["setting"]] += 1
    return {setting: (len(domains[setting]), number) for setting, number in sorted(instances.items())}


def measure_plan(benchmark: str, sizes: Sizes, runs: int) -> dict[str, Row]:
    """Return the precision by setting; `sizes` are its domains and all its instances.

    None for a benchmark that draws no domains; a setting of fewer than two is left out, as no interval for
    new domains exists.
    """
    found: dict[str, JsonObject] = {}
    variance = find_declaration(benchmark).variance
    if variance is None:
        return found
    for setting, (domains, instances) in sizes.items():
        if domains < 2 or instances < domains:
            continue
        told = measure_design(variance.parts, Design(domains, instances // domains, runs))
        found[setting] = {
            "domains": domains,
            "instances_per_domain": instances // domains,
            "runs": runs,
            "half_width_rate": round(told.rate, 4),
            "half_width_difference": round(told.difference, 4),
            "detectable_difference": round(told.detectable, 4),
            "variance": variance.source,
        }
    return found


def describe_precision(measured: Mapping[str, Mapping[str, object]]) -> str:
    """Return the lines under the plan's table; "" where nothing is measured."""
    if not measured:
        return ""
    parts = [
        f"{setting} {one['detectable_difference']:.3f} ({one['domains']} domains x "
        f"{one['instances_per_domain']} x {one['runs']})"
        for setting, one in measured.items()
    ]
    sources = dict.fromkeys(str(one["variance"]) for one in measured.values())
    return (
        "smallest difference in success rate between two models that is detected, over new domains, with "
        f"power {POWER:g}: {', '.join(parts)}; variance of {', '.join(sources)}"
    )
