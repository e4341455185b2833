"""Read the edition that a report is compared with, and the anchors that tie the two."""

import json
from collections.abc import Sequence

from perennial.flows.benchmark import Benchmark
from perennial.flows.editions.figure_data import Read, fill_queries, fill_query, query_table, read_record
from perennial.schemas.errors import InvalidOption
from perennial.schemas.plan import way_of
from perennial.schemas.rows import ReadJson
from perennial.tasks.play import parse_model_player
from perennial.tasks.report.comparison import ANSWER_PATTERNS
from perennial.tasks.report.content import Comparison
from perennial.tasks.report.figures.headline import DOMAINS
from perennial.warehouse.catalog.confinement import quote


def read_comparison(
    read: Read, other: str, chosen: str, benchmark: Benchmark, anchors: Sequence[str] = ()
) -> Comparison:
    """Return what the edition `chosen` is compared with, tied by these anchors, else by those of both.

    Raises InvalidOption for an edition of another benchmark, for the same one, and for an anchor that has no
    scored episodes in both.
    """
    if other == chosen:
        raise InvalidOption(f"--compare {other!r} is the report's own edition: name another one")
    if (found := read_record(read, other)["benchmark"]) != benchmark.name:
        raise InvalidOption(
            f"--compare {other!r} is an edition of {found}, but {chosen!r} of {benchmark.name}: name one of "
            "the same benchmark"
        )
    queries = fill_queries(benchmark, other, [DOMAINS])
    headline, domains = (
        query_table(read, f"{name}_{other}", queries[name]) for name in ("headline", DOMAINS.name)
    )
    answers, own_answers = (
        query_table(read, f"{ANSWER_PATTERNS.name}_{edition}", fill_query(ANSWER_PATTERNS, edition))
        for edition in (other, chosen)
    )
    tied = tuple(anchors) or shared_anchors(read, (chosen, other), benchmark)
    both = set.intersection(
        *({name for row in table.records() for name in row["players"]} for table in (answers, own_answers))
    )
    for name in anchors:
        if name not in both:
            raise InvalidOption(
                f"--anchors {name!r} has no scored episodes in {chosen}, in {other} or in both: name players "
                "of both"
            )
    return Comparison(other, headline, domains, answers, own_answers, tied)


def shared_anchors(read: Read, editions: Sequence[str], benchmark: Benchmark) -> tuple[str, ...]:
    """Return the anchors that each of the editions was evaluated with, models with equal parameters."""
    programs = benchmark.programs
    found = []
    for edition in editions:
        anchors: set[tuple[str, str]] = set()
        for (text,) in read(f"SELECT settings FROM evaluations WHERE edition = {quote(edition)}")[1]:
            plan = json.loads(text)
            for name in plan.get("anchors", ()):
                anchors.add((name, "" if name in programs else _asked_how(plan, name, benchmark)))
        found.append(anchors)
    return tuple(sorted({name for name, _ in set.intersection(*found)}))


def _asked_how(settings: ReadJson, player: str, benchmark: Benchmark) -> str:
    """Return parameters and protocol that a model was asked with in an evaluation, by its plan."""
    model = parse_model_player(player, {}, benchmark.variants).choice.model
    params = settings.get("model_params", {}).get(model, settings["player_params"])
    return json.dumps([params, way_of(settings.get("protocol", {}), player)], sort_keys=True)
