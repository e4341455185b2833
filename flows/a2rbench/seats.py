"""How A2RBench is played: an item of a published edition, or a fresh one, answered once."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pkgutil import resolve_name

from perennial.flows.benchmark import Playing
from perennial.schemas.a2rbench.things import ReadingPlan, name_domain
from perennial.schemas.errors import InstancesExhausted, shorten
from perennial.schemas.game import Episode, Sheet
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelChoice
from perennial.schemas.rows import ReadJson, Rejection, Row
from perennial.tasks.a2rbench.catalogue import RULES
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.a2rbench.players import PLAYERS, Form, ItemGame, shape_of
from perennial.tasks.a2rbench.readers import judge_by
from perennial.tasks.a2rbench.replies import read_answer, write_answer
from perennial.tasks.play import OneShotSeat, SecondReader
from perennial.tasks.sandbox.tier import find_protection
from perennial.warehouse.catalog.catalog import rows_with
from perennial.warehouse.store.store import Store

_FORMS = ("type", "dimension", "variation", "is_remapped", "query")
_FORM = '["a", "b"] or [["a", "b"], ["c", "d"]]'
_ASK = f"In the terminal, the output alone is enough: JSON on one line, such as {_FORM}."
_PLAYED = ("instance_id", "answer", "prompt", "template_hash", *_FORMS)


@dataclass(frozen=True, slots=True)
class ItemSeat(OneShotSeat):
    """An item as it is played: the prompt as published, the right answer, its form."""

    instance_id: str
    answer: str
    prompt: str
    template_hash: str = ""
    form: Form = field(default_factory=Form)

    def start(self) -> ItemGame:
        """Return a fresh game of it."""
        return ItemGame(self.prompt, self.answer, self.template_hash, self.form)

    def own_rows(self, episode_id: str, episode: Episode[ItemGame]) -> dict[str, list[Row]]:
        """Return the row of `a2rbench_answers`, and of `rejections` where a judge's quotation is not used."""
        game = episode.game
        read, refused = game.answer, game.refused
        row = {
            "episode_id": episode_id,
            "answer": None if read is None else read.answer,
            "rule": None if read is None else read.rule,
            "parse": "none" if read is None else "program" if game.judge_call_id is None else "judge",
            "format_level": None if read is None or game.judge_call_id is not None else read.level,
            "collapsed": read is None,
            "judge_call_id": game.judge_call_id,
        }
        if refused is None:
            return {"a2rbench_answers": [row]}
        fault, call_id = refused
        # By its instance, so that exports leave it out with a private one.
        message = f"{episode.player}, run {episode.run}: {fault.message}"
        rejection = Rejection("episodes", self.instance_id, fault.rule, message, call_id).row()
        return {"a2rbench_answers": [row], "rejections": [rejection]}


def take_seats(
    store: Store, edition: str, instance_ids: Sequence[str], _protocol: ReadJson
) -> list[ItemSeat]:
    """Return the seats of these instances, in their order."""
    rows = rows_with(
        store,
        table="a2rbench_items",
        unit=edition,
        column="instance_id",
        values=instance_ids,
        columns=_PLAYED,
    )
    found = {row["instance_id"]: make_seat(row) for row in rows}
    return [found[id_] for id_ in instance_ids if id_ in found]


def make_seat(row: Row) -> ItemSeat:
    """Return the seat of an item as a row of its table."""
    shape = shape_of(json.loads(row["query"]))
    form = Form(name_domain(row["dimension"], row["type"]), row["variation"], row["is_remapped"], shape)
    return ItemSeat(row["instance_id"], row["answer"], row["prompt"], row["template_hash"], form)


def draw_seat(domain: str, setting: str, seed: int) -> ItemSeat:
    """Return the seat of a fresh item of a cell; `setting` is seed, augmented or remapped ("": seed).

    Raises InstancesExhausted where the draws give none.
    """
    rng = derive_rng(seed, "a2rbench/draw", 0)
    variation = 0 if setting in ("", "seed") else rng.randrange(1, 10)
    names = [
        name
        for name, rule in RULES.items()
        if not domain or f"{('line', 'grid', 'cube')[rule.dimension - 1]}_{rule.type}" == domain
    ]
    if not names:
        raise InstancesExhausted(f"no rule of A2RBench is of {domain!r}")
    variations, jail = sorted({0, variation}), find_protection().jail
    request = SeedRequest(
        rule=RULES[rng.choice(names)],
        number=0,
        variations=variations,
        remapping=setting == "remapped",
        seed=seed,
        jail=jail,
    )
    for item in grow_seed(request).items:
        if item.variation == variation and item.is_remapped == (setting == "remapped"):
            return make_seat(asdict(item))
    raise InstancesExhausted(f"{domain}: no {setting} item was found; give another --seed")


def draw_sheet(game: ItemGame) -> Sheet:
    """Return what a person is shown of an item: the prompt, to which the output is typed as JSON."""

    def reply(answer: str) -> str:
        return answer if read_answer(answer) is not None else _wrap(answer)

    return Sheet(
        goal="",
        book=game.prompt,
        truths=(),
        actions=(),
        truth_noun="answer",
        action_noun="",
        reply=reply,
        ask=_ASK,
        fault=_find_fault,
    )


def _find_fault(answer: str) -> str:
    """Return why the typed output cannot be read, "" where it can."""
    if read_answer(answer) is not None or read_answer(_wrap(answer)) is not None or answer == "null":
        return ""
    return (
        f"{shorten(answer, 40)} is not JSON: type the output on one line, each token in double quotes, as in "
        f"{_FORM}; or null to give up"
    )


def _wrap(answer: str) -> str:
    """Return a reply whose final answer is the JSON text that was typed; as it is where it is no JSON."""
    wrapped = write_answer(None).replace("null", answer)
    return wrapped if read_answer(wrapped) is not None else answer


def choose_judge(protocol: ReadJson) -> SecondReader[ItemGame] | None:
    """Return how the protocol's judge reads what the program could not; None where it names none."""
    judges = ReadingPlan.from_protocol(protocol).judges()
    return judge_by(judges[0]) if judges else None


def list_readers(protocol: ReadJson) -> tuple[ModelChoice, ...]:
    """Return the models that read answers under this protocol."""
    return ReadingPlan.from_protocol(protocol).choices()


PLAYING = Playing(
    PLAYERS,
    (),
    take_seats,
    reads=("instances", "a2rbench_items"),
    one_shot=True,
    references=("search",),
    sheet=draw_sheet,
    draw=draw_seat,
    second_reader=choose_judge,
    analysing=partial(resolve_name, "perennial.flows.a2rbench.readers.analyse_answers:STAGES"),
    readers=list_readers,
)
