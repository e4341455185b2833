"""How KUMO is played: an instance of a published edition with one of its books, usually the final one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.flows.kumo.sample_instances import optimum_from_row
from perennial.flows.kumo.write_books import read_guidebooks
from perennial.schemas.game import Episode
from perennial.schemas.ids import content_id, derive_rng
from perennial.schemas.kumo.plan import KumoPlan, PaperMessages, fits_plan
from perennial.schemas.kumo.things import AS_PUBLISHED, DEFAULT_SAMPLER, Instance, Setting, Step
from perennial.schemas.rows import ReadJson, Row
from perennial.tasks.kumo.books import choose_guidebooks, rules_of, write_book
from perennial.tasks.kumo.configuration import parse_config
from perennial.tasks.kumo.encoding import EncodedConfig, encode_config, encode_instance
from perennial.tasks.kumo.game import Board, KumoGame
from perennial.tasks.kumo.reliability import Case, Reports, read_probability, states_seen
from perennial.tasks.kumo.sampling.request import SamplingRequest
from perennial.tasks.kumo.sampling.sample import sample_instances
from perennial.tasks.kumo.search.solve import Solution, solve_exactly
from perennial.tasks.kumo.validation import refuse_unsafe
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.editions.publish import read_published_plan
from perennial.warehouse.kumo.bundled_domains import bundled_domains
from perennial.warehouse.kumo.rows import (
    belief_row,
    episode_id,
    instance_from_row,
    kumo_episode_row,
    move_rows,
)
from perennial.warehouse.store.store import Store


@dataclass(frozen=True, slots=True)
class KumoSeat:
    """An instance as it is played, and the ids of instance and book (`perennial.schemas.game.Seat`)."""

    instance_id: str
    book_id: str
    board: Board

    def start(self) -> KumoGame:
        """Return a fresh game of it."""
        return KumoGame(self.board)

    def episode_id(self, player: str, run: int) -> str:
        """Return the content id of instance, book and what is shown otherwise, player and run."""
        other: list[str | float] = [*self.board.guidebooks]
        if self.board.reports:
            other.append(self.board.reports.case.reliability)
        book_id = content_id("bk", self.book_id, other) if other else self.book_id
        return episode_id(book_id, self.instance_id, player, run)

    def own_rows(self, episode_id: str, episode: Episode[KumoGame]) -> dict[str, list[Row]]:
        """Return the rows of `kumo_episodes` and `kumo_moves`, and with reports of `kumo_beliefs`."""
        game = episode.game
        row = kumo_episode_row(episode_id, self.book_id, game.tests, game.is_decided())
        rows = {"kumo_episodes": [row], "kumo_moves": move_rows(episode_id, episode.player, game.steps)}
        if self.board.reports:
            reply = episode.turns[-1].reply
            rows["kumo_beliefs"] = [_assess_belief(episode_id, self.board.reports, game.steps, reply)]
        return rows


def _assess_belief(episode_id: str, reports: Reports, steps: Sequence[Step], reply: str) -> Row:
    """The row of `kumo_beliefs` of an episode with these steps, the last one read from the reply."""
    # Imported here: numpy costs 100 ms, which listing players should not pay.
    from perennial.tasks.kumo.belief import believe, plan_best_play

    belief = believe(reports.case, states_seen(reports.reported.actions, steps))
    best = plan_best_play(reports.case)
    last = steps[-1]
    named = reports.reported.truths.index(last.move) if last.kind == "truth" and last.move else None
    return belief_row(
        episode_id,
        reports.case.reliability,
        probability=None if named is None else belief[named],
        largest=max(belief),
        stated=None if named is None else read_probability(reply),
        optimum=(best.success, best.tests, best.count),
    )


def take_seats(
    store: Store, edition: str, instance_ids: Sequence[str], protocol: ReadJson, version: str = "final"
) -> list[KumoSeat]:
    """Return the seat of each of these instances that has a book of this version, in their order.

    Books passed their check, but for a first draft, which failed it.
    """
    columns = ("instance_id", "book_id", "text", "verdict", "version")
    books = rows_with(
        store, table="kumo_books", unit=edition, column="instance_id", values=instance_ids, columns=columns
    )
    verdict = "failed" if version == "first" else "passed"
    usable = {
        book["instance_id"]: book
        for book in books
        if (book["version"], book["verdict"]) == (version, verdict)
    }
    shared = rows_with(store, "instances", edition, "instance_id", usable)
    kumos = rows_with(store, "kumo_instances", edition, "instance_id", usable)
    kumo_rows = {row["instance_id"]: row for row in kumos}
    rows = {row["instance_id"]: {**row, **kumo_rows[row["instance_id"]]} for row in shared}
    config_ids = {row["config_id"] for row in rows.values()}
    configs = {
        row["config_id"]: encode_config(parse_config(row["config"], f"edition {edition}"))
        for row in rows_with(store, "kumo_seed_configs", edition, "config_id", config_ids)
    }
    played = [(rows[id_], usable[id_]) for id_ in instance_ids if id_ in usable]
    return [_seat(configs[row["config_id"]], row, book, protocol) for row, book in played]


def take_seats_among(
    store: Store, edition: str, instance_ids: Sequence[str], protocol: ReadJson, number: int
) -> list[KumoSeat]:
    """Return the seats with the final book among so many, of instances that enough domains have books for."""
    seats = take_seats(store, edition, instance_ids, protocol)
    columns = ("instance_id", "setting", "cluster")
    places = {
        row["instance_id"]: row
        for row in rows_with(
            store, table="instances", unit=edition, column="instance_id", values=instance_ids, columns=columns
        )
    }
    shelf = read_guidebooks(store, edition)
    taken = []
    for seat in seats:
        home, board = places[seat.instance_id], seat.board
        others = {name: books for name, books in shelf[home["setting"]].items() if name != home["cluster"]}
        guidebooks = choose_guidebooks(seat.instance_id, board.book, board.instance.truths, others, number)
        if guidebooks is not None:
            taken.append(replace(seat, board=replace(board, guidebooks=guidebooks)))
    return taken


def take_seats_reported(
    store: Store, edition: str, instance_ids: Sequence[str], protocol: ReadJson, reliability: float
) -> list[KumoSeat]:
    """Return the seats with reports of this reliability, of instances for which the best play is computed."""
    # Imported here: it needs numba.
    from perennial.tasks.kumo.belief import Reporter

    is_balanced = KumoPlan.from_json(read_published_plan(store, edition).own).is_balanced
    reporters: dict[int, Reporter] = {}
    taken = []
    for seat in take_seats(store, edition, instance_ids, protocol):
        board = seat.board
        case = Case(board.encoded.n_truths, board.encoded.masks, reliability, is_balanced)
        if not fits_plan(case.n_truths, case.states, len(board.instance.valid_truths)):
            continue
        # Seats of one domain share its configuration.
        reporter = reporters.get(id(board.config)) or Reporter(encode_config(board.config))
        reporters[id(board.config)] = reporter
        reported = reporter.report(board.instance, seat.instance_id, reliability)
        taken.append(replace(seat, board=replace(board, reports=Reports(reported, case))))
    return taken


def _seat(encoded: EncodedConfig, row: Row, book: Row, protocol: ReadJson) -> KumoSeat:
    instance = instance_from_row(row, encoded.config)
    board = Board(
        encoded.config,
        instance,
        encoded=encode_instance(encoded, instance),
        book=book["text"],
        rules=rules_of(encoded, instance),
        solution=_solution(row, instance),
        protocol=PaperMessages.in_plan(protocol, row["domain"]),
    )
    return KumoSeat(row["instance_id"], book["book_id"], board)


def _solution(row: Row, instance: Instance) -> Solution:
    *actions, answer = row["golden"]
    return Solution(
        status="solved",
        expected_steps=row["expected_steps"],
        golden_actions=tuple(instance.actions.index(action) for action in actions),
        golden_answer=instance.truths.index(answer),
        optimum=optimum_from_row(row, instance),
    )


# Draw one fresh instance for a person: sampled, solved exactly, with a book of the template.


_SETTING = "easy"


def draw_seat(domain: str, setting: str, seed: int) -> KumoSeat:
    """Return the seat of one instance; equal domains, settings and seeds give the same one.

    Without a domain a bundled one is drawn. Raises InvalidOption for an unknown domain or setting,
    UnsatisfiableSetting where there is no such instance.
    """
    name = domain or derive_rng(seed, "play/domain", 0).choice(sorted(bundled_domains()))
    size = Setting.parse(setting or _SETTING)
    config, _ = choose_domain(name)
    refuse_unsafe(config)
    encoded = encode_config(config)
    sampler = DEFAULT_SAMPLER if size.n_valid == 1 else AS_PUBLISHED
    request = SamplingRequest(size, 1, seed, 1.0, True, sampler=sampler)
    sample = sample_instances(encoded, request)
    if sample.shortfall is not None:
        raise sample.shortfall
    instance, instance_id = sample.instances[0], sample.ids[0]
    (solution,) = solve_exactly([encode_instance(encoded, instance)], request.is_balanced)
    rng = derive_rng(seed, f"book/{instance_id}", 0)
    return seat_with_template(encoded, instance, instance_id, solution, rng)


def seat_with_template(
    encoded: EncodedConfig, instance: Instance, instance_id: str, solution: Solution, rng: Random
) -> KumoSeat:
    """The seat of a solved instance, with a book of the template."""
    rules = rules_of(encoded, instance)
    book = write_book(encoded.config, instance, rules, rng)
    board = Board(encoded.config, instance, encode_instance(encoded, instance), book, rules, solution)
    return KumoSeat(instance_id, content_id("bk", instance_id, 0, book), board)
