"""From what the operator asked for to the plan of an evaluation, new or already begun."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from perennial.flows.benchmark import find_benchmark
from perennial.flows.console.input_files import refuse_clock_set_back
from perennial.flows.refresh.models import check_models
from perennial.flows.refresh.plan import choose_players, plan_answers
from perennial.schemas.errors import EditionConflict, InvalidOption
from perennial.schemas.plan import EditionPlan, EvaluationPlan, way_of
from perennial.schemas.settings import RefreshSettings
from perennial.schemas.settings.form import NAME_WORDS
from perennial.schemas.units import evaluation_of, split_unit
from perennial.warehouse.catalog.catalog import list_contents, published_evaluations, visible_evaluations
from perennial.warehouse.catalog.confinement import PART, row_file
from perennial.warehouse.editions.manifest import refuse_damaged
from perennial.warehouse.editions.publish import evaluation_plan, read_counts, read_published_plan
from perennial.warehouse.staging import Staging, staged_units
from perennial.warehouse.store.store import Store

_UNREAD = "messages"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def prepare_evaluation(
    settings: RefreshSettings, store: Store, name: str = "", instances: int = 0, *, needs_key: bool = True
) -> EvaluationPlan:
    """Plan an evaluation of edition `settings.edition`, after every check that needs no work.

    With `instances` only so many are played, spread evenly. A player that earlier evaluations hold on fewer
    instances plays the rest, with the runs that it had.
    An evaluation that was begun with equal settings is resumed. A player that earlier evaluations of the
    edition hold gets run numbers after theirs, withdrawn ones included. Raises InvalidOption where it would
    play the same again, EditionConflict where the name is taken, all before anything is written.
    """
    _refuse_bad_name(name)
    refuse_clock_set_back(store, datetime.now(UTC))
    growth = read_playable_plan(store, settings.edition)
    benchmark = find_benchmark(growth.benchmark)
    players = choose_players(settings, benchmark, growth.own)
    protocol = benchmark.protocol(settings, store, growth)
    check_models(settings, benchmark, (), players, store, needs_key=needs_key, protocol=protocol)
    answers = plan_answers(settings, benchmark, growth.own, players, protocol)
    total = read_counts(store, growth.edition).get("instances", 0)
    if instances and not 1 <= instances <= total:
        raise InvalidOption(
            f"--instances {instances}: edition {growth.edition!r} has {total:,}: give 1 to that"
        )
    # All of them is what an evaluation plays in any case.
    subset = 0 if instances == total else instances
    asked = replace(answers, edition=growth.edition, name="", seed=growth.public_seed, canary=growth.canary)
    asked = replace(asked, instances=subset)
    begun = _find_begun(store, asked, name)
    if begun is not None:
        return begun if store.exists(row_file(begun.unit)) else replace(begun, facts=asked.facts)
    earlier = list(_earlier_plans(store, growth.edition))
    _refuse_mixed_protocols(asked, earlier)
    chosen = name or _next_number(earlier)
    played = _count_played_before(asked, earlier, total)
    first_runs = _first_runs(asked, earlier, played)
    return replace(asked, name=chosen, first_runs=first_runs, played=played)


def read_playable_plan(store: Store, edition: str) -> EditionPlan:
    """The plan of a published edition; raise InvalidOption if it may not be evaluated."""
    growth = read_published_plan(store, edition)
    if growth.imported_from and not find_benchmark(growth.benchmark).plays_imports:
        raise InvalidOption(
            f"edition {growth.edition!r} was imported, and its questions passed no gate here: name an "
            "edition that `perennial refresh` grew"
        )
    return growth


def place_answers(store: Store, asked: EvaluationPlan, name: str) -> EvaluationPlan:
    """Plan answers that were given elsewhere: a name, and the players' first runs.

    Raises EditionConflict where the name is taken, InvalidOption where a player answered this edition under
    another protocol, or fewer of its instances.
    """
    total = read_counts(store, asked.edition)["instances"]
    earlier = list(_earlier_plans(store, asked.edition))
    _refuse_mixed_protocols(asked, earlier)
    for plan in earlier:
        for player in set(asked.players) & set(plan.players):
            held, answered = plan.instances or total, asked.instances or total
            if held != answered:
                raise InvalidOption(
                    f"player {player!r} has answered {held:,} instances in {plan.unit}, and these are "
                    f"answers to {answered:,}: play as many (-T instances={held} of the task)"
                )
    chosen = choose_evaluation_name(store, asked.edition, name)
    return replace(asked, name=chosen, first_runs=_first_runs(asked, earlier, {}))


def is_begun(store: Store, plan: EvaluationPlan) -> bool:
    """Whether work on this evaluation is staged."""
    return Staging(store, plan.unit).read_plan() is not None


def refuse_damaged_edition(store: Store, edition: str) -> None:
    """Raise Damaged where a file that an evaluation of the edition reads is not what was published.

    Its questions and the figures over all answers come from these files; nobody reads the messages again.
    """
    read = list_contents(store, (edition, *visible_evaluations(store, edition))).files
    refuse_damaged(store, (file for table, files in read.items() if table != _UNREAD for file in files))


def choose_evaluation_name(store: Store, edition: str, name: str = "") -> str:
    """The name of a new evaluation of the edition: the given one, or the next number.

    Raises InvalidOption for what is no name, EditionConflict where it is taken.
    """
    _refuse_bad_name(name)
    earlier = list(_earlier_plans(store, edition))
    if any(plan.name == name for plan in earlier):
        raise EditionConflict(
            f"evaluation {evaluation_of(edition, name)!r} is there already: choose another --name"
        )
    return name or _next_number(earlier)


def _next_number(earlier: list[EvaluationPlan]) -> str:
    taken = {plan.name for plan in earlier}
    numbers = (str(number) for number in range(1, len(taken) + 2))
    return next(number for number in numbers if number not in taken)


def _refuse_bad_name(name: str) -> None:
    if name and (not _NAME.fullmatch(name) or name == PART):
        raise InvalidOption(f"--name {name!r}: expected {NAME_WORDS}, other than {PART}")


def _find_begun(store: Store, asked: EvaluationPlan, name: str) -> EvaluationPlan | None:
    """The plan of the evaluation that was begun with these settings; None if there is none.

    With a name, of that one, published or not; raises EditionConflict where it has other settings.
    """
    if not name:
        staged = read_staged_plans(store, asked.edition)
        return next((plan for plan in staged if plan.asked == asked.asked), None)
    unit = evaluation_of(asked.edition, name)
    begun = [plan for plan in _earlier_plans(store, asked.edition) if plan.unit == unit]
    if begun and begun[0].asked != asked.asked:
        raise EditionConflict(
            f"evaluation {unit!r} is there already, with other settings: choose another --name, or leave it "
            "out"
        )
    return begun[0] if begun else None


def _earlier_plans(store: Store, edition: str) -> Iterator[EvaluationPlan]:
    published = published_evaluations(store, edition)
    yield from (evaluation_plan(store, unit) for unit in published)
    yield from (plan for plan in read_staged_plans(store, edition) if plan.unit not in published)


def read_staged_plans(store: Store, edition: str) -> Iterator[EvaluationPlan]:
    """The plans of the edition's evaluations that are staged."""
    for unit in staged_units(store):
        unit_edition, name = split_unit(unit)
        plan = Staging(store, unit).read_plan() if unit_edition == edition and name else None
        if isinstance(plan, EvaluationPlan):
            yield plan


def _refuse_mixed_protocols(asked: EvaluationPlan, earlier: list[EvaluationPlan]) -> None:
    """Refuse a model that answered this edition under another protocol: its figures would be over both."""
    programs = find_benchmark(asked.benchmark).programs
    for player in asked.players:
        for plan in earlier:
            if (
                player in plan.players
                and player not in programs
                and way_of(plan.protocol, player) != way_of(asked.protocol, player)
            ):
                raise InvalidOption(
                    f"player {player!r} was asked under protocol {plan.protocol.get('name', 'perennial')} in "
                    f"{plan.unit}, and figures never mix protocols or templates: leave it out, give its "
                    "protocol's settings as there, or evaluate another edition"
                )


def _count_played_before(asked: EvaluationPlan, earlier: list[EvaluationPlan], total: int) -> dict[str, int]:
    """By player that is extended to more instances: how many it has played, of `total` in the edition.

    Raises InvalidOption where it would play the new ones with another number of runs.
    """
    programs = find_benchmark(asked.benchmark).programs
    reaches = {}
    for player in asked.players:
        held = [p for p in earlier if player in p.players and set(p.versions) & set(asked.versions)]
        reach = max((plan.instances or total for plan in held), default=0)
        if not 0 < reach < (asked.instances or total):
            continue
        runs = max(plan.runs for plan in held if (plan.instances or total) == reach)
        draws = player not in programs or programs[player].is_random
        if draws and runs != asked.runs:
            raise InvalidOption(
                f"--runs {asked.runs}: player {player!r} has {runs} on each of its {reach:,} instances of "
                f"{asked.edition!r}: give --runs {runs} to extend it to more instances"
            )
        reaches[player] = reach
    return reaches


def _first_runs(
    asked: EvaluationPlan, earlier: list[EvaluationPlan], played: Mapping[str, int]
) -> dict[str, int]:
    """First run of each player that plays again; raise InvalidOption for one that never draws."""
    programs = find_benchmark(asked.benchmark).programs
    first = {}
    for player in asked.players:
        if player in played:
            continue
        held = [
            plan for plan in earlier if player in plan.players and set(plan.versions) & set(asked.versions)
        ]
        if held and player in programs and not programs[player].is_random:
            raise InvalidOption(
                f"player {player!r} plays the same in each run, and {held[0].unit} has its answers: leave "
                "it out"
            )
        if held:
            first[player] = max(plan.runs_of(player).stop for plan in held)
    return first
