"""Which columns the values of a column are made from: the references of the tables, and what is listed here.

Listed are the columns whose origin says something. A column that is absent comes from the settings of the
refresh, from the domains that were given, or from other columns of its own row.
"""

from dataclasses import dataclass
from typing import Literal

from schemas.tables import TABLES

Kind = Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"]


@dataclass(frozen=True, slots=True)
class Origin:
    """A column that values are made from, and how: taken as they are, computed, or counted up."""

    table: str
    column: str
    kind: Kind = "TRANSFORMATION"


def _computed(table: str, *columns: str) -> tuple[Origin, ...]:
    return tuple(Origin(table, column) for column in columns)


def _counted(table: str, *columns: str) -> tuple[Origin, ...]:
    return tuple(Origin(table, column, "AGGREGATION") for column in columns)


def _same(table: str, column: str) -> tuple[Origin, ...]:
    return (Origin(table, column, "IDENTITY"),)


_REPLY = _computed("calls", "reply")
_CONFIG = _computed("kumo_seed_configs", "config")
# What a book must say: the rules of an instance follow from its truths, its actions and its configuration.
_RULES = (*_CONFIG, *_computed("kumo_instances", "truths", "actions"))
_PLAYED = (
    *_computed("kumo_instances", "states", "valid_truths", "golden"),
    *_computed("kumo_books", "text"),
    *_REPLY,
)
_FIGURE = (
    *_counted("episodes", "status", "success", "score", "tokens", "cost_usd", "instance_id"),
    *_counted("kumo_episodes", "tests"),
    *_counted("kumo_instances", "signature", "n_actions", "optimal_tests"),
    *_counted("kumo_seed_configs", "config"),
    *_counted("external_scores", "score"),
)

_LISTED: dict[str, dict[str, tuple[Origin, ...]]] = {
    "kumo_domains": dict.fromkeys(
        (
            *("name", "category", "goal", "truth_noun", "action_noun", "book_title"),
            *("truth_description", "action_description"),
        ),
        _REPLY,
    ),
    "kumo_seed_configs": {
        **dict.fromkeys(("truths", "actions", "config"), _REPLY),
        "call_ids": _same("calls", "call_id"),
    },
    "kumo_outcomes": dict.fromkeys(("action", "state", "kind", "label", "low", "high", "rules_out"), _CONFIG),
    "kumo_instances": {
        "truths": _computed("kumo_seed_configs", "truths"),
        "actions": _computed("kumo_seed_configs", "actions"),
        **dict.fromkeys(
            (
                *("instance_id", "states", "observations", "valid_truths", "expected_steps"),
                *("optimal_tests", "golden", "signature"),
            ),
            _CONFIG,
        ),
    },
    "kumo_books": {
        "book_id": (*_RULES, *_REPLY, *_computed("kumo_instances", "instance_id")),
        "text": (*_RULES, *_REPLY),
        "author": _same("calls", "model"),
        "checked_by": _same("calls", "model"),
        "check_call_ids": _same("calls", "call_id"),
        **dict.fromkeys(
            ("verdict", "missing_rules", "extra_rules", "confirmed_rules", "ambiguous_rules"),
            (*_RULES, *_REPLY),
        ),
    },
    "episodes": {
        "episode_id": (*_computed("kumo_instances", "instance_id"), *_computed("kumo_books", "book_id")),
        **dict.fromkeys(("status", "success", "score", "turns"), _PLAYED),
        "tokens": _counted("calls", "prompt_tokens", "completion_tokens"),
        "cost_usd": _counted("calls", "cost_usd"),
        "seconds": _counted("calls", "latency_s"),
    },
    "turns": {
        "reply": _PLAYED,
        "feedback": _computed("kumo_instances", "observations"),
    },
    "kumo_episodes": {"tests": _PLAYED},
    "kumo_moves": {
        **dict.fromkeys(("kind", "move"), _PLAYED),
        "state": _computed("kumo_instances", "states"),
    },
    "instances": {"domain": _computed("kumo_domains", "name"), "content_hash": _RULES},
    "statistics": {
        "setting": _computed("instances", "setting"),
        "domain": _computed("instances", "domain"),
        "player": _computed("episodes", "player"),
        **dict.fromkeys(("n", "value", "low", "high", "p_value", "p_adjusted"), _FIGURE),
    },
}


def column_origins(table: str) -> dict[str, tuple[Origin, ...]]:
    """Return the origins of the table's columns, as far as they lie in other tables: by column, in order."""
    found = dict(_LISTED.get(table, {}))
    for reference in TABLES[table].references:
        found[reference.column] = _same(reference.to_table, reference.to_column)
    order = [column.name for column in TABLES[table].columns]
    return {column: found[column] for column in sorted(found, key=order.index)}


def origin_tables(table: str) -> tuple[str, ...]:
    """Return the tables that the table's rows are made from, in the order of `schemas.tables.TABLES`."""
    named = {origin.table for origins in column_origins(table).values() for origin in origins}
    return tuple(name for name in TABLES if name in named)
