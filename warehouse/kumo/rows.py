"""KUMO's things as rows of the tables, and back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields

from perennial.schemas.disclosure import is_public
from perennial.schemas.ids import content_id
from perennial.schemas.kumo.things import (
    COUNTERFACTUAL,
    SECOND_CONFIGURER,
    BookStyle,
    BookVerdict,
    BookVersion,
    Instance,
    Judgement,
    Observation,
    Proposal,
    SeedConfig,
    Step,
    observation_text,
    read_number,
)
from perennial.schemas.rows import Row
from perennial.warehouse.staging import question_row

BENCHMARK = "kumo"
_NO_OPTIMUM: Row = {
    "promise_status": "none",
    **dict.fromkeys(
        ("promise_steps", "promise_steps_low", "policy_steps", "promise_tests", "promise_golden")
    ),
}
SYMBOLIC_CHECK = "symbolic"
_PROPOSAL_COLUMNS = {"name": "domain", "truths": "truth_description", "actions": "action_description"}


def domain_row(
    config: SeedConfig, source: str, world_kind: str | None = None, world_sparsity: str | None = None
) -> Row:
    """Return the row of table `kumo_domains`; a synthetic world has a kind."""
    return {
        "domain_id": config.domain_id,
        "domain": config.name,
        "category": config.category,
        "goal": config.goal,
        "truth_noun": config.truth_noun,
        "action_noun": config.action_noun,
        "book_title": config.book_title,
        "truth_description": None,
        "action_description": None,
        "source": source,
        "world_kind": world_kind,
        "world_sparsity": world_sparsity,
        "call_id": None,
    }


def proposal_row(proposal: Proposal) -> Row:
    """Return the row of table `kumo_domains` for a domain that a model proposed."""
    config = SeedConfig(proposal.name, (), (), (), goal=proposal.goal)
    values = {_PROPOSAL_COLUMNS.get(name, name): value for name, value in asdict(proposal).items()}
    return {
        "domain_id": config.domain_id,
        **values,
        "source": "model",
        "world_kind": None,
        "world_sparsity": None,
    }


def proposal_from_row(row: Row) -> Proposal:
    """Return the proposal that a row of `kumo_domains` holds."""
    names = (field.name for field in fields(Proposal))
    return Proposal(**{name: row[_PROPOSAL_COLUMNS.get(name, name)] for name in names})


def config_row(config: SeedConfig, warnings: list[str], call_ids: Sequence[str] = ()) -> Row:
    """Return the row of table `kumo_seed_configs`; `call_ids` are the model calls that led to it."""
    return {
        "config_id": config.config_id,
        "domain_id": config.domain_id,
        "n_truths": len(config.truths),
        "n_actions": len(config.actions),
        "truths": list(config.truths),
        "actions": list(config.actions),
        "config": json.dumps(config.as_json(), ensure_ascii=False),
        "warnings": warnings,
        "call_ids": list(call_ids),
    }


def authored_domain_row(domain_id: str, status: str, versions: int, call_ids: Sequence[str]) -> Row:
    """Return the row of table `kumo_authored_domains`."""
    return {"domain_id": domain_id, "status": status, "versions": versions, "call_ids": list(call_ids)}


def outcome_rows(config: SeedConfig) -> list[Row]:
    """Return the rows of table `kumo_outcomes`, one row per outcome state."""
    config_id = config.config_id
    return [
        {
            "config_id": config_id,
            "action": outcome.action,
            "state": number,
            "kind": outcome.kind,
            "label": state.label,
            "low": state.low,
            "high": state.high,
            "rules_out": list(state.rules_out),
        }
        for outcome in config.outcomes
        for number, state in enumerate(outcome.states)
    ]


def instance_from_row(row: Row, config: SeedConfig) -> Instance:
    """Return the instance that a row of `kumo_instances` holds, drawn from this configuration."""
    outcomes = {outcome.action: outcome for outcome in config.outcomes}
    observations: list[Observation] = [
        read_number(text) if outcomes[action].states[state].is_range else text
        for action, state, text in zip(row["actions"], row["states"], row["observations"], strict=True)
    ]
    return Instance(
        truths=tuple(row["truths"]),
        actions=tuple(row["actions"]),
        states=tuple(row["states"]),
        observations=tuple(observations),
        valid_truths=tuple(row["valid_truths"]),
        seed=row.get("seed") or 0,
        index=row.get("index", 0),
    )


def shared_instance_row(instance: Instance, *, instance_id: str, domain: str, setting: str) -> Row:
    """Return the row of table `instances`; `instance_id` is the canonical id, a hash of what is asked.

    Its origin is the lists that a player sees: an instance with the same ones in other outcomes, or with
    exchanged facts, would tell which truths are left.
    """
    return question_row(
        instance_id,
        benchmark=BENCHMARK,
        domain=domain,
        setting=setting,
        seed=instance.seed if is_public(instance.seed) else None,
        index=instance.index,
        cluster=domain.removesuffix(COUNTERFACTUAL).removesuffix(SECOND_CONFIGURER),
        origin=content_id("ko", sorted(instance.truths), sorted(instance.actions)),
    )


def instance_row(
    instance: Instance,
    *,
    instance_id: str,
    config_id: str,
    expected_steps: float,
    golden: list[str],
    signature: str,
    optimum: Row | None = None,
) -> Row:
    """Return the row of table `kumo_instances`; `golden` is the actions of Algorithm 3's policy and the truth
    named, `optimum` the columns of the optimum under the promise.
    """
    return {
        "instance_id": instance_id,
        "config_id": config_id,
        "n_truths": len(instance.truths),
        "n_actions": len(instance.actions),
        "n_valid": len(instance.valid_truths),
        "truths": list(instance.truths),
        "actions": list(instance.actions),
        "states": list(instance.states),
        "observations": [observation_text(observation) for observation in instance.observations],
        "valid_truths": list(instance.valid_truths),
        "expected_steps": expected_steps,
        "optimal_tests": len(golden) - 1,
        "golden": golden,
        "signature": signature,
        **_NO_OPTIMUM,
        **(optimum or {}),
    }


def draw_row(
    config_id: str,
    setting: str,
    chunk: int,
    instances: int,
    engine: str,
    solver: str,
    counts: Mapping[str, int],
) -> Row:
    """Return the row of table `kumo_draws`; `counts` are those of the sample."""
    names = ("lists", "walked", "duplicates", "solver_calls", "checked", "disagreements")
    return {
        "config_id": config_id,
        "setting": setting,
        "chunk": chunk,
        "engine": engine,
        "solver": solver,
        "instances": instances,
        "refused": counts["unsatisfiable_selections"],
        **{name: counts[name] for name in names},
    }


def book_row(
    instance_id: str,
    revision: int,
    text: str,
    author: str,
    verdict: BookVerdict,
    *,
    version: BookVersion = "final",
    style: BookStyle | None = None,
    checked_by: str = SYMBOLIC_CHECK,
    is_replacement: bool = False,
    call_id: str | None = None,
    check_call_ids: Sequence[str] = (),
    judgement: Judgement | None = None,
) -> Row:
    """Return the row of table `kumo_books`."""
    return {
        "book_id": content_id("bk", instance_id, revision, text),
        "instance_id": instance_id,
        "revision": revision,
        "version": version,
        "text": text,
        "author": author,
        "style": style,
        "verdict": "passed" if verdict.passed else "failed",
        "missing_rules": list(verdict.missing),
        "extra_rules": list(verdict.extra),
        "confirmed_rules": list(verdict.confirmed),
        "ambiguous_rules": list(verdict.ambiguous),
        "other_text": verdict.other_text,
        "checked_by": checked_by,
        "is_replacement": is_replacement,
        "check_call_ids": list(check_call_ids),
        "judged_by": None if judgement is None else judgement.judge,
        "judged_right": None if judgement is None else judgement.is_right,
        "judge_call_ids": [] if judgement is None else list(judgement.call_ids),
        "call_id": call_id,
    }


def episode_id(book_id: str | None, instance_id: str, player: str, run: int) -> str:
    """Return the id of a run: content id of instance, book, player and run."""
    return content_id("ep", instance_id, book_id, player, run)


def kumo_episode_row(episode: str, book_id: str | None, tests: int, decided: bool | None = None) -> Row:
    """Return the row of table `kumo_episodes`."""
    return {"episode_id": episode, "book_id": book_id, "tests": tests, "decided": decided}


def move_rows(episode: str, player: str, steps: Sequence[Step]) -> list[Row]:
    """Return the rows of table `kumo_moves`, a row per reply."""
    keys = {"episode_id": episode, "player": player}
    return [{**keys, "turn": s.number, "kind": s.kind, "move": s.move, "state": s.state} for s in steps]


def belief_row(
    episode: str,
    reliability: float,
    *,
    probability: float | None,
    largest: float,
    stated: float | None,
    optimum: tuple[float, float, float],
) -> Row:
    """Return the row of table `kumo_beliefs`; `optimum` are success, tests and count of the best play."""
    success, tests, count = optimum
    return {
        "episode_id": episode,
        "reliability": reliability,
        "probability": probability,
        "largest": largest,
        "stated": stated,
        "optimum_success": success,
        "optimum_tests": tests,
        "optimum_count": count + 1,
    }
