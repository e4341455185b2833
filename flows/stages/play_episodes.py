"""Play: each player of an evaluation on the instances of a published edition, whatever the benchmark.

A batch is one player on one chunk of the edition's instances, in the order of domain, setting and index;
another version of the questions than the usual one is a batch of its own, and its name comes before the
player's. A model's chunks are large: all its calls may be under way at once, or be one batch of its server.
Those of programs are smaller, so that processes share them.
"""

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial

from perennial.flows.benchmark import Benchmark, Stage, find_benchmark
from perennial.flows.console import progress
from perennial.flows.stages.model_calls import CallsFailed, ModelSession, run_session
from perennial.flows.stages.workspace import Policies, Workspace
from perennial.schemas.benchmark import Batch
from perennial.schemas.errors import EndpointFailed
from perennial.schemas.game import USUAL, Episode, Program, Seat
from perennial.schemas.ids import derive_rng
from perennial.schemas.plan import EvaluationPlan
from perennial.schemas.rows import Rejection, Row, Rows
from perennial.schemas.tables import TABLES, staged_tables
from perennial.tasks.play import parse_model_player, play_all, play_program, plays_version
from perennial.warehouse.catalog.confinement import table_file
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.ledger.reading import LedgerReader, describe_causes
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.staging import episode_row, turn_rows
from perennial.warehouse.store.store import Store

CHUNK = 10_000
_SHARES = 8  # of a small edition, for the processes that let programs play
_LEAST_SHARE = 100
# An episode that reads its reply has no call in flight: another one under way uses the client's slot.
EPISODES_A_CALL = 2
NOT_ASKED = "not_asked"
PEOPLE = Batch("episodes", ("people",))  # staged from what they did, and never played


def play_stage(benchmark: str) -> Stage:
    """Return the stage that plays, for this benchmark."""
    # People's answers are staged by `perennial.flows.study.publish`, and what they are with them.
    played = find_benchmark(benchmark)
    later = {"participants"}.union(*(stage.writes for stage in played.reading_stages()))
    answers = [name for name in staged_tables(benchmark, answers=True) if name not in later]
    programs = played.programs
    rejections = ("rejections",) if played.offers(Benchmark.refuse) else ()

    def one_task_for_programs(batch: Batch) -> object:
        """Programs play a chunk one after the other in one task run, models each in their own."""
        return batch.key[:-1] if batch.key[-1] in programs else batch.key

    return Stage(
        "episodes",
        "Lets players play the instances of the edition.",
        play_batches,
        play,
        reads=tuple(played.reads),
        writes=(*(name for name in answers if TABLES[name].kind == "answers"), *rejections),
        spreads=_needs_no_model,
        chain=one_task_for_programs,
    )


def play(workspace: Workspace, batch: Batch, policies: Policies) -> dict[str, Rows]:
    """Return the rows of a player's episodes on one chunk of instances.

    Raises CallsFailed where calls failed for good, unless such episodes are accepted: answers are in the
    ledger, so that only the failed calls are made again.
    """
    plan, player = workspace.evaluation, batch.key[-1]
    benchmark = find_benchmark(plan.benchmark)
    seats, version = _seats_of(workspace, batch)
    if player in benchmark.programs:
        return episode_rows(_play_program(plan, seats, benchmark.programs[player]), version)
    asked, refused = _split_refused(benchmark, seats, player)
    work = partial(_play_model, plan, asked, benchmark, player, version, plan.runs_of(player))
    # Turn by turn, a batch of up to a day each, a game would take weeks.
    tables = run_session(workspace, policies.calls, work, in_batches=benchmark.one_shot)
    if refused:
        tables["rejections"] = [*tables.get("rejections", ()), *refused]
    failed = sum(row["status"] == "api_error" for row in tables["episodes"])
    if failed and not policies.accept_api_errors:
        raise CallsFailed(failed)
    return tables


def play_first_episode(workspace: Workspace, batch: Batch, policies: Policies) -> Row | None:
    """Return the row of a model's first run on the first instance of a batch; None where it has none."""
    plan, player = workspace.evaluation, batch.key[-1]
    benchmark = find_benchmark(plan.benchmark)
    seats, version = _seats_of(workspace, batch)
    seats, _ = _split_refused(benchmark, seats, player)
    if not seats:
        return None
    runs = plan.runs_of(player)[:1]
    work = partial(_play_model, plan, seats[:1], benchmark, player, version, runs)
    return run_session(workspace, policies.calls, work)["episodes"][0]


def _seats_of(workspace: Workspace, batch: Batch) -> tuple[tuple[Seat, ...], str]:
    plan = workspace.evaluation
    chunk, *named, player = batch.key
    version = named[0] if named else USUAL
    protocol = json.dumps(plan.protocol, sort_keys=True)
    store = workspace.staging.store
    ids = _chunks(store, plan.edition, player in find_benchmark(plan.benchmark).programs)[int(chunk)]
    seats = _seats(store, plan.benchmark, plan.edition, ids, version, protocol)
    if plan.instances or plan.played:
        order = instance_order(store, plan.edition)
        wanted = plan.places_of(player, len(order))
        seats = tuple(seat for seat in seats if order[seat.instance_id] in wanted)
    return seats, version


def _split_refused(
    benchmark: Benchmark, seats: Sequence[Seat], player: str
) -> tuple[tuple[Seat, ...], list[Row]]:
    """Return the seats that a model is asked at, and a row of `rejections` for each other one."""
    asked, refused = [], []
    for seat in seats:
        reason = benchmark.refuse(seat, player)
        if not reason:
            asked.append(seat)
            continue
        message = f"player {player} was not asked: {reason}"
        refused.append(Rejection("episodes", seat.instance_id, NOT_ASKED, message, player=player).row())
    return tuple(asked), refused


def _play_program(
    plan: EvaluationPlan, seats: Sequence[Seat], program: Program
) -> Iterator[tuple[Seat, Episode, float]]:
    runs = plan.runs_of(program.name)
    for seat in seats:
        # A player that never draws plays once, as its runs would be equal.
        for run in runs if program.is_random else runs[:1]:
            rng = derive_rng(plan.seed, f"episode/{seat.instance_id}/{program.name}", run)
            started = time.perf_counter()
            episode = play_program(program, seat.start(), run, rng)
            yield seat, episode, time.perf_counter() - started


async def _play_model(
    plan: EvaluationPlan,
    seats: Sequence[Seat],
    benchmark: Benchmark,
    player: str,
    version: str,
    runs: range,
    session: ModelSession,
) -> dict[str, Rows]:
    calls = session.batch()
    chosen = parse_model_player(player, plan.params_of, benchmark.variants)
    games = [seat.start for seat in seats]
    concurrency = EPISODES_A_CALL * session.concurrency(chosen.choice.model)
    counted = progress.EpisodeCount(len(games) * len(runs))
    episodes = await play_all(
        calls,
        chosen,
        games,
        runs,
        concurrency,
        on_end=lambda episode: counted.end(episode.success, episode.status == "api_error"),
        second_reader=benchmark.second_reader(plan.protocol),
    )
    taken = (sum(calls.seconds(turn.call_id) for turn in e.turns if turn.call_id) for e in episodes)
    seated = (seats[number // len(runs)] for number in range(len(episodes)))
    return calls.add_to(episode_rows(zip(seated, episodes, taken, strict=True), version))


def episode_rows(played: Iterable[tuple[Seat, Episode, float]], version: str = USUAL) -> dict[str, Rows]:
    """Return the rows of all episodes by table; each comes with its seat and how long it took."""
    tables: dict[str, Rows] = defaultdict(list, episodes=[])
    for seat, episode, seconds in played:
        identity = seat.episode_id(episode.player, episode.run)
        tables["episodes"].append(episode_row(episode, identity, seat.instance_id, seconds, version))
        tables["turns"] += turn_rows(episode, identity)
        for name, rows in seat.own_rows(identity, episode).items():
            tables[name] += rows
    return dict(tables)


def play_batches(workspace: Workspace) -> list[Batch]:
    """Return the batches of an evaluation, in order; people's answers are one."""
    plan = workspace.evaluation
    if plan.people:
        return [PEOPLE]
    benchmark = find_benchmark(plan.benchmark)
    return [
        Batch("episodes", (str(number), *([] if version == USUAL else [version]), player))
        for is_program in (True, False)
        for number, ids in enumerate(_chunks(workspace.staging.store, plan.edition, is_program))
        for version in plan.versions
        for player in plan.players
        if (player in benchmark.programs) == is_program and plays_version(benchmark, player, version)
        if _has_instances(workspace, ids, player)
    ]


def _has_instances(workspace: Workspace, ids: Sequence[str], player: str) -> bool:
    plan, store = workspace.evaluation, workspace.staging.store
    if not (plan.instances or plan.played):
        return True
    order = instance_order(store, plan.edition)
    wanted = plan.places_of(player, len(order))
    return any(order[id_] in wanted for id_ in ids)


@lru_cache(maxsize=1)
def instance_order(store: Store, edition: str) -> dict[str, int]:
    """Return each instance's place in the order in which a subset takes them."""
    instances = [(setting, domain, id_) for domain, setting, _, id_ in _instances(store, edition)]
    seed = read_published_plan(store, edition).public_seed
    return {id_: position for position, id_ in enumerate(spread_instances(instances, seed))}


def spread_instances(instances: Iterable[tuple[str, str, str]], seed: int) -> list[str]:
    """Return the ids of instances (setting, domain, id) in an order whose every beginning is spread evenly.

    Each setting has its share of a beginning, and within it each domain, up to the rounding of shares
    (Webster's method: instance j of m comes at (j - 1/2) / m), so that a subset is part of every larger one.
    Settings begin with different domains; which ones, and which instances of a domain, the seed decides.
    """
    cells: dict[str, dict[str, list[str]]] = {}
    for setting, domain, id_ in sorted(instances):
        cells.setdefault(setting, {}).setdefault(domain, []).append(id_)
    rng = derive_rng(seed, "subset", 0)
    domains = sorted({domain for of_setting in cells.values() for domain in of_setting})
    rng.shuffle(domains)
    spread = []
    for number, of_setting in enumerate(cells.values()):
        held = [domain for domain in domains if domain in of_setting]
        first = number * len(held) // len(cells)
        ordered = []
        for turn, domain in enumerate(held[first:] + held[:first]):
            ids = of_setting[domain]
            rng.shuffle(ids)
            ordered += [((2 * j + 1) / len(ids), turn, id_) for j, id_ in enumerate(ids)]
        ordered.sort()
        spread += [((2 * j + 1) / len(ordered), number, id_) for j, (*_, id_) in enumerate(ordered)]
    return [id_ for *_, id_ in sorted(spread)]


def _needs_no_model(workspace: Workspace, batch: Batch) -> bool:
    return batch.key[-1] in find_benchmark(workspace.plan.benchmark).programs


@lru_cache(maxsize=1)
def _seats(
    store: Store, benchmark: str, edition: str, ids: tuple[str, ...], version: str, protocol: str
) -> tuple[Seat, ...]:
    """Return the seats of one version of instances under a protocol (JSON): read once for all players."""
    played = find_benchmark(benchmark)
    take_seats = played.take_seats if version == USUAL else partial(played.take_version, version)
    return tuple(take_seats(store, edition, list(ids), json.loads(protocol)))


@lru_cache(maxsize=2)
def _chunks(store: Store, edition: str, is_program: bool) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the edition's instances in the chunks that programs, or models, play."""
    ids = tuple(id_ for *_, id_ in _instances(store, edition))
    size = min(CHUNK, max(_LEAST_SHARE, -(-len(ids) // _SHARES))) if is_program else CHUNK
    return tuple(ids[start : start + size] for start in range(0, len(ids), size))


@lru_cache(maxsize=1)
def _instances(store: Store, edition: str) -> list[tuple[str, str, int, str]]:
    """Return domain, setting, index and id of each instance, sorted: an edition never changes."""
    columns = ["domain", "setting", "index", "instance_id"]
    table = store.read_table(table_file("instances", edition), columns)
    return sorted(zip(*(table[name].to_pylist() for name in columns), strict=True))


# Play one instance with every model before the rest is bought, so that a wrong parameter costs one episode.
#
# The replies are in the ledger: the batches that follow use them.


def try_players(workspace: Workspace, batches: Sequence[Batch], policies: Policies) -> None:
    """Play the first run on the first instance with each model that has a batch that is not staged.

    Raises EndpointFailed, naming the player and why, where a call failed for good: nothing else is bought.
    """
    programs = find_benchmark(workspace.plan.benchmark).programs
    first: dict[str, Batch] = {}
    for batch in batches:
        if batch.key[-1] not in programs and not workspace.is_done(batch):
            first.setdefault(batch.key[-1], batch)
    for player, batch in first.items():
        episode = play_first_episode(workspace, batch, policies)
        if episode is None:
            continue
        if episode["status"] == "api_error" and not policies.accept_api_errors:
            with LedgerReader(ledger_file(workspace.staging.store.root)) as ledger:
                causes = describe_causes(ledger.causes(workspace.plan.unit, "player"))
            raise EndpointFailed(
                f"--smoke: a call of player {player!r} failed for good, and nothing else was bought: "
                f"{causes}: the same command tries again; with a corrected models.toml, or without this "
                f"player, `perennial evaluate {workspace.plan.edition}` with these --players does"
            )
        tokens = "tokens unknown" if episode["tokens"] is None else f"{episode['tokens']:,} tokens"
        cost = "cost unknown" if episode["cost_usd"] is None else f"${episode['cost_usd']:.4f}"
        progress.note(
            f"{'smoke':<12} {player}: {episode['status']} after {episode['turns']} turns, {tokens}, {cost}, "
            f"{episode['seconds']:.1f} s"
        )
