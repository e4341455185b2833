"""What A2RBench does: it grows, plays, counts and shows items, examples of a rule and an input for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perennial.flows.a2rbench.edition import PLAYED, ItemSeat, batches_of, catalogue_id, make_seat
from perennial.flows.benchmark import Benchmark, Practice, Preparation, Stage, always
from perennial.flows.stages.estimates import estimate_players
from perennial.schemas.a2rbench.things import CATALOGUE, DOMAINS, DRAWN, A2RBenchPlan, ReadingPlan
from perennial.schemas.errors import InstancesExhausted, InvalidOption, shorten
from perennial.schemas.game import Sheet
from perennial.schemas.ids import derive_rng
from perennial.schemas.model_calls import ModelChoice, Prices, StageEstimate
from perennial.schemas.plan import EditionPlan, EvaluationPlan
from perennial.schemas.rows import JsonObject, ReadJson
from perennial.tasks.a2rbench.grammar import draw_rules
from perennial.tasks.a2rbench.growing import SeedRequest, grow_seed
from perennial.tasks.a2rbench.players import PLAYERS, ItemGame, judge_by
from perennial.tasks.a2rbench.replies import read_answer, write_answer
from perennial.tasks.a2rbench.statistics import COUNTS, EditionItems, PlayedItems, item_figures
from perennial.tasks.play import SecondReader
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import find_protection, require_protection
from perennial.tasks.statistics.agreement import agreement_figures, read_analyses
from perennial.tasks.statistics.multiplicity import Statistic
from perennial.tasks.statistics.rate_figures import Analysis
from perennial.warehouse.catalog.catalog import Catalog, rows_with
from perennial.warehouse.editions.publish import read_counts
from perennial.warehouse.store.store import Store

if TYPE_CHECKING:
    import pyarrow

    from perennial.flows.web.page import Opened, Page
    from perennial.schemas.a2rbench.settings import A2RBenchSettings
    from perennial.schemas.presentation import Presentation
    from perennial.tasks.papers import Comparison
    from perennial.tasks.report.content import Report

_FORM = '["a", "b"] or [["a", "b"], ["c", "d"]]'
_ASK = f"In the terminal, the output alone is enough: JSON on one line, such as {_FORM}."
# Tokens: of a prompt; of an answer without its reasoning; of a reply that thinks at length, without a limit.
_PROMPT, _ANSWER, _LONG_REPLY = 1_500, 150, 8_000
_FLOORS = (
    "SELECT i.setting, 0.0, 0.0 FROM instances AS i JOIN a2rbench_items AS a USING (instance_id) "
    "GROUP BY i.setting HAVING bool_and(a.author = 'catalogue')"
)
"""No drawn item has an example of its query's shape, without which the guesser gives up."""
_WEAK = (
    "the sandbox gives no protection here (tier none): the rules that it runs are perennial's own; see "
    "`perennial doctor`"
)
_WEAK_AUTHORED = (
    "the sandbox gives no protection here (tier none), and code that models write is run, as "
    "--accept-weak-sandbox says; see `perennial doctor`"
)
_ITEMS, _PLAYED, _ANALYSED = "items", "played_items", "analysed_answers"


class A2RBench(Benchmark["A2RBenchSettings", None, ItemSeat, ItemGame]):
    """Rules drawn from a seed, of a catalogue or of models, applied to tokens in a list, a grid or a cube."""

    # Grow

    def prepare(self, settings: A2RBenchSettings, store: Store) -> Preparation[None]:
        """InvalidOption where models write rules and nothing protects this machine from them, unasked."""
        tier = find_protection().tier
        authoring = settings.authoring()
        if authoring.models:
            _require_sandbox(settings)
        plan = A2RBenchPlan(
            settings.seeds, settings.variations, settings.remapping, catalogue_id(), tier, authoring
        )
        items = len(DOMAINS) * plan.seeds * (plan.variations + 1)
        copies = items // 2 if plan.remapping else 0
        return Preparation(
            plan.as_json(),
            # The same edition may be resumed on another machine.
            found=("tier",),
            warnings=() if tier != "none" else (_WEAK_AUTHORED,) if authoring.models else (_WEAK,),
            authors=authoring.choices(),
            shown={
                "items": f"{items:,}, and at most {copies:,} copies in other tokens",
                "rules": _describe_rules(plan),
                "sandbox": tier,
            },
            counts={"seeds": len(DOMAINS) * plan.seeds, "instances": items + copies},
            protocol=settings.reading().as_protocol(),
        )

    def stages(self) -> tuple[Stage, ...]:
        from perennial.flows.a2rbench import stages

        return (
            Stage(
                stages.STAGE,
                "Lets models write the rules of their seeds, judged and run before any item is made of them.",
                stages.rule_batches,
                stages.author,
                writes=("a2rbench_rules", "a2rbench_attempts", "rejections"),
                earlier=("a2rbench_rules", "instances"),
            ),
            Stage(
                "items",
                "Draws inputs of each variation of a rule and runs its code on them; copies symbolic items "
                "in other tokens.",
                partial(batches_of, stage="items"),
                stages.grow,
                writes=("instances", "a2rbench_items", "rejections"),
                earlier=("instances", "a2rbench_items"),
                spreads=always,
            ),
            Stage(
                "expansions",
                "Runs the rules that models wrote, and lets a model choose the inputs of their variations.",
                stages.expansion_batches,
                stages.expand,
                reads=("a2rbench_rules",),
                writes=("instances", "a2rbench_items", "a2rbench_attempts", "rejections"),
                earlier=("instances",),
            ),
            Stage(
                "gate",
                "Runs each item again in a fresh process, searches for other rules that fit, reads its "
                "prompt back.",
                lambda workspace: [*batches_of(workspace, "gate"), *stages.gate_batches(workspace)],
                stages.check_rule,
                reads=("a2rbench_rules", "a2rbench_items"),
                writes=("a2rbench_gate",),
                spreads=always,
            ),
        )

    def practice(self) -> Practice:
        from perennial.flows.a2rbench.practice import A2RBenchPractice

        return A2RBenchPractice()

    # Play

    programs = PLAYERS
    reads = ("instances", "a2rbench_items")
    references = ("search",)
    one_shot = True
    plays_imports = True

    def take_seats(
        self, store: Store, edition: str, ids: Sequence[str], protocol: ReadJson
    ) -> list[ItemSeat]:
        rows = rows_with(store, "a2rbench_items", edition, "instance_id", ids, columns=PLAYED)
        seats = {row["instance_id"]: make_seat(row) for row in rows}
        return [seats[id_] for id_ in ids if id_ in seats]

    def estimate(
        self, store: Store, plan: EvaluationPlan, prices: Prices, prepared: Preparation | None
    ) -> list[StageEstimate]:
        """A call per item and run, then those of readers; of a refresh those of authors before them."""
        from perennial.flows.a2rbench.readers import estimate_reading
        from perennial.flows.a2rbench.stages import estimate_authors, estimate_expansions

        writing: list[StageEstimate] = []
        if prepared:
            a2r_plan = A2RBenchPlan.from_json(prepared.own)
            writing = [*estimate_authors(a2r_plan, prices), *estimate_expansions(a2r_plan, prices)]
        items = (prepared.counts if prepared else read_counts(store, plan.edition))["instances"]
        calls = items * plan.runs
        answering = estimate_players(
            plan,
            PLAYERS,
            prices,
            calls=calls,
            prompt_tokens=calls * _PROMPT,
            answer_tokens=calls * _ANSWER,
            longest_reply=_LONG_REPLY,
        )
        return [*writing, *answering, *estimate_reading(items, plan, prices)]

    def protocol(self, settings: A2RBenchSettings, store: Store, growth: EditionPlan) -> JsonObject:
        return settings.reading().as_protocol()

    def draw_seat(self, domain: str, setting: str, seed: int) -> ItemSeat:
        """Return the seat of a fresh item of a cell; `setting` is seed, augmented or remapped ("": seed).

        Raises InstancesExhausted where the draws give none.
        """
        rng = derive_rng(seed, "a2rbench/draw", 0)
        variation = 0 if setting in ("", "seed") else rng.randrange(1, 10)
        if domain and domain not in DOMAINS:
            raise InstancesExhausted(f"no rule of A2RBench is of {domain!r}")
        (rule,) = draw_rules(domain or rng.choice(DOMAINS), rng.getrandbits(64), 1)
        variations, jail = sorted({0, variation}), find_protection().jail
        request = SeedRequest(
            rule=rule, number=0, variations=variations, remapping=setting == "remapped", seed=seed, jail=jail
        )
        for item in grow_seed(request).items:
            if item.variation == variation and item.is_remapped == (setting == "remapped"):
                return make_seat(asdict(item))
        raise InstancesExhausted(f"{domain}: no {setting} item was found; give another --seed")

    def draw_sheet(self, game: ItemGame) -> Sheet:
        """The prompt, to which the output is typed as JSON."""

        def reply(answer: str) -> str:
            return answer if read_answer(answer) is not None else _wrap(answer)

        return Sheet(game.prompt, reply, ask=_ASK, fault=_find_fault)

    def second_reader(self, protocol: ReadJson) -> SecondReader[ItemGame] | None:
        """The protocol's judge."""
        judges = ReadingPlan.from_protocol(protocol).judges()
        return judge_by(judges[0]) if judges else None

    def reading_stages(self) -> tuple[Stage, ...]:
        from perennial.flows.a2rbench.readers import READING

        return (READING.stage(),)

    def readers(self, protocol: ReadJson) -> Sequence[ModelChoice]:
        return ReadingPlan.from_protocol(protocol).choices()

    # Count

    def analysis(self) -> Analysis:
        from perennial.flows.a2rbench.readers import READING

        queries = {
            name: (files("perennial.flows.a2rbench") / f"{name}.sql").read_text(encoding="utf-8")
            for name in (_ITEMS, _PLAYED)
        }
        return Analysis(queries=queries | {_ANALYSED: READING.query}, table_figures=_figures, floors=_FLOORS)

    def compare_paper(self, store: Store, path: Path | None, step: Callable[[str], None]) -> list[Comparison]:
        from perennial.flows.a2rbench.release import compare_paper

        return compare_paper(store, path, step)

    # Show

    def summary(self, catalog: Catalog, plan: EditionPlan) -> dict[str, str]:
        """What the gate found, and how many items are missing."""
        where = f"WHERE edition = '{plan.edition}'"
        _, ((items, outputs, unique, copies, tier),) = catalog.query(
            'SELECT sum(items)::BIGINT, sum(outputs)::BIGINT, sum("unique")::BIGINT, sum(copies)::BIGINT, '
            f"any_value(tier) FROM a2rbench_gate {where}"
        )
        # No gate ran an imported edition: its import did.
        facts = (
            {}
            if items is None
            else {
                "gate": f"{outputs:,} outputs of {items:,} items run again (sandbox: {tier}), on "
                f"{unique:,} items all programs that fit agree, {copies:,} are copies in other tokens"
            }
        )
        where += " AND stage IN ('items', 'expansions', 'import')"
        _, missing = catalog.query(f"SELECT rule, count(*) FROM rejections {where} GROUP BY 1 ORDER BY 1")
        listed = [f"{number:,} {rule}" for rule, number in missing]
        return facts | ({"left out": ", ".join(listed) + " (table rejections)"} if listed else {})

    def report(self) -> Report:
        from perennial.tasks.a2rbench.report import REPORT

        return REPORT

    def pages(self) -> tuple[Page, ...]:
        from perennial.flows.a2rbench.web import ITEMS

        return (ITEMS,)

    def show_instance(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.a2rbench.web import show_item

        show_item(edition, instance_id)

    def show_reference(self, edition: Opened, instance_id: str) -> None:
        from perennial.flows.a2rbench.web import show_solution

        show_solution(edition, instance_id)

    def presentation(self) -> Presentation:
        from perennial.flows.a2rbench.presentation import PRESENTATION

        return PRESENTATION


def _describe_rules(plan: A2RBenchPlan) -> str:
    authors = [plan.authoring.author_of(number) for number in range(plan.seeds)]
    words = {DRAWN: "drawn from the edition's seed", CATALOGUE: "of the public catalogue"}
    return ", ".join(
        f"{len(DOMAINS) * authors.count(name):,} {words.get(name, f'by {name}')}"
        for name in dict.fromkeys(authors)
    )


def _require_sandbox(settings: A2RBenchSettings) -> None:
    try:
        require_protection(accept_unprotected=settings.accept_weak_sandbox)
    except SandboxRefusal as error:
        raise InvalidOption(
            f"--author {','.join(settings.author)}: {error.detail} (--accept-weak-sandbox); see "
            "`perennial doctor`"
        ) from None


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


def _figures(tables: Mapping[str, pyarrow.Table], seed: int) -> Iterable[Statistic]:
    items = _items(tables[_ITEMS])
    yield from item_figures(items, _read_players(tables[_PLAYED], len(items)), PLAYERS)
    yield from agreement_figures(read_analyses(tables[_ANALYSED].to_pylist()), seed)


def _items(table: pyarrow.Table) -> EditionItems:
    kinds: dict[str, type] = {"type": str, "author": str, "gzip": float}
    kinds |= dict.fromkeys(("dimension", "variation", "original"), np.int64)
    columns: dict[str, Any] = {name: np.array(table[name].to_pylist(), kind) for name, kind in kinds.items()}
    _, rule = np.unique(np.array(table["rule"].to_pylist(), str), return_inverse=True)
    return EditionItems(rule=rule, truth=table["answer"].to_pylist(), **columns)


def _read_players(table: pyarrow.Table, number: int) -> Iterator[PlayedItems]:
    for row, player in enumerate(table["player"].to_pylist()):
        places = table["number"][row].values.to_numpy()
        counts = {}
        for name in COUNTS:
            counts[name] = np.zeros(number, np.int64)
            counts[name][places] = table[name][row].values.to_numpy()
        wrong = dict(zip(places.tolist(), table["wrong"][row].as_py(), strict=True))
        yield PlayedItems(player, counts, wrong)
