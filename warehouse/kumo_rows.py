"""KUMO's things as rows of the tables, and back."""

import json
from typing import Any

from schemas.ids import content_id
from schemas.kumo import Episode, Instance, Observation, SeedConfig

Row = dict[str, Any]


def observation_text(observation: Observation) -> str:
    """Return the observation as tables keep it: a label, or the number's shortest exact text."""
    return observation if isinstance(observation, str) else repr(observation)


def domain_row(config: SeedConfig, source: str) -> Row:
    """Return the row of table `domains`."""
    return {
        "domain_id": config.domain_id,
        "name": config.name,
        "category": config.category,
        "goal": config.goal,
        "truth_noun": config.truth_noun,
        "action_noun": config.action_noun,
        "source": source,
        "call_id": None,
    }


def config_row(config: SeedConfig, warnings: list[str]) -> Row:
    """Return the row of table `seed_configs`."""
    return {
        "config_id": config.config_id,
        "domain_id": config.domain_id,
        "n_truths": len(config.truths),
        "n_actions": len(config.actions),
        "truths": list(config.truths),
        "actions": list(config.actions),
        "config": json.dumps(config.as_json(), ensure_ascii=False),
        "warnings": warnings,
        "call_ids": [],
    }


def outcome_rows(config: SeedConfig) -> list[Row]:
    """Return the rows of table `outcomes`, a row an outcome state."""
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
        float(text) if outcomes[action].states[state].is_range else text
        for action, state, text in zip(row["actions"], row["states"], row["observations"], strict=True)
    ]
    return Instance(
        truths=tuple(row["truths"]),
        actions=tuple(row["actions"]),
        states=tuple(row["states"]),
        observations=tuple(observations),
        valid_truths=tuple(row["valid_truths"]),
        seed=row["seed"],
        index=row["index"],
    )


def instance_row(
    instance: Instance,
    *,
    instance_id: str,
    config_id: str,
    setting: str,
    expected_steps: float,
    golden: list[str],
    signature: str,
) -> Row:
    """Return the row of table `kumo_instances`; `golden` is the optimal actions and the truth named."""
    return {
        "instance_id": instance_id,
        "config_id": config_id,
        "setting": setting,
        "n_truths": len(instance.truths),
        "n_actions": len(instance.actions),
        "n_valid": len(instance.valid_truths),
        "seed": instance.seed,
        "index": instance.index,
        "truths": list(instance.truths),
        "actions": list(instance.actions),
        "states": list(instance.states),
        "observations": [observation_text(observation) for observation in instance.observations],
        "valid_truths": list(instance.valid_truths),
        "expected_steps": expected_steps,
        "optimal_tests": len(golden) - 1,
        "golden": golden,
        "signature": signature,
    }


def book_row(
    instance_id: str, revision: int, text: str, author: str, missing: list[str], extra: list[str]
) -> Row:
    """Return the row of table `books`; a book with a missing or an extra rule has failed."""
    return {
        "book_id": content_id("bk", instance_id, revision, text),
        "instance_id": instance_id,
        "revision": revision,
        "text": text,
        "author": author,
        "verdict": "failed" if missing or extra else "passed",
        "missing_rules": missing,
        "extra_rules": extra,
        "call_id": None,
    }


def episode_row(episode: Episode, instance_id: str, book_id: str, seconds: float) -> Row:
    """Return the row of table `episodes`."""
    return {
        "episode_id": content_id("ep", instance_id, book_id, episode.player, episode.run),
        "benchmark": "kumo",
        "instance_id": instance_id,
        "book_id": book_id,
        "player": episode.player,
        "run": episode.run,
        "status": episode.status,
        "success": episode.success,
        "tests": episode.tests,
        "tokens": None,
        "cost_usd": None,
        "seconds": seconds,
    }


def turn_rows(episode: Episode, episode_id: str) -> list[Row]:
    """Return the rows of table `turns`, a row a move."""
    return [
        {
            "episode_id": episode_id,
            "turn": turn.number,
            "kind": turn.kind,
            "move": turn.move,
            "observation": None if turn.observation is None else observation_text(turn.observation),
            "state": turn.state,
            "call_id": None,
        }
        for turn in episode.turns
    ]


def rejection_row(stage: str, subject: str, rule: str, message: str) -> Row:
    """Return the row of table `rejections`."""
    return {"stage": stage, "subject": subject, "rule": rule, "message": message, "call_id": None}
