"""Which columns the values of a column are made from: the references of the tables, and what is listed here.

A column that is absent comes from the settings of the refresh, from the domains that were given, or from
other columns of its own row.
"""

from typing import Literal, NamedTuple

from schemas.tables import TABLES

Kind = Literal["IDENTITY", "TRANSFORMATION", "AGGREGATION"]


class Origin(NamedTuple):
    """A column that values are made from, and how: taken as they are, computed, or counted up."""

    table: str
    column: str
    kind: Kind = "TRANSFORMATION"


_CONFIG = "kumo_seed_configs.config"
# What a book must say: the rules of an instance follow from its truths, its actions and its configuration.
_RULES = f"{_CONFIG} kumo_instances.truths kumo_instances.actions"
_PLAYED = (
    "kumo_instances.states kumo_instances.valid_truths kumo_instances.golden kumo_books.text calls.reply"
)
_EPISODE = (
    "episodes.status episodes.success episodes.score episodes.tokens episodes.cost_usd episodes.instance_id "
    "kumo_episodes.tests"
)
_INSTANCE = "kumo_instances.signature kumo_instances.n_actions kumo_instances.optimal_tests"
_PROPOSED = "name category goal truth_noun action_noun book_title truth_description action_description"
_SOLVED = "states observations valid_truths expected_steps optimal_tests golden signature"
_CHECKED = "text verdict missing_rules extra_rules confirmed_rules ambiguous_rules"

# Table, columns, and the columns that the values of each of them are made from.
_LISTED: dict[Kind, tuple[tuple[str, str, str], ...]] = {
    "IDENTITY": (
        ("kumo_seed_configs", "call_ids", "calls.call_id"),
        ("kumo_books", "author checked_by", "calls.model"),
        ("kumo_books", "check_call_ids", "calls.call_id"),
    ),
    "TRANSFORMATION": (
        ("kumo_domains", _PROPOSED, "calls.reply"),
        ("kumo_seed_configs", "truths actions config", "calls.reply"),
        ("kumo_outcomes", "action state kind label low high rules_out", _CONFIG),
        ("instances", "instance_id content_hash", _RULES),
        ("instances", "domain", _CONFIG),
        ("kumo_instances", "truths", "kumo_seed_configs.truths"),
        ("kumo_instances", "actions", "kumo_seed_configs.actions"),
        ("kumo_instances", _SOLVED, _CONFIG),
        ("kumo_books", "book_id", f"{_RULES} calls.reply instances.instance_id"),
        ("kumo_books", _CHECKED, f"{_RULES} calls.reply"),
        ("episodes", "episode_id", "instances.instance_id kumo_books.book_id"),
        ("episodes", "status success score turns", _PLAYED),
        ("turns", "reply", _PLAYED),
        ("turns", "feedback", "kumo_instances.observations"),
        ("kumo_episodes", "tests", _PLAYED),
        ("kumo_moves", "kind move", _PLAYED),
        ("kumo_moves", "state", "kumo_instances.states"),
        ("statistics", "setting", "instances.setting"),
        ("statistics", "domain", "instances.domain"),
        ("statistics", "player", "episodes.player"),
    ),
    "AGGREGATION": (
        ("episodes", "tokens", "calls.prompt_tokens calls.completion_tokens"),
        ("episodes", "cost_usd", "calls.cost_usd"),
        ("episodes", "seconds", "calls.latency_s"),
        (
            "statistics",
            "n value low high p_value p_adjusted",
            f"{_EPISODE} {_INSTANCE} {_CONFIG} external_scores.score",
        ),
    ),
}


def column_origins(table: str) -> dict[str, tuple[Origin, ...]]:
    """Return the origins of the table's columns, as far as they lie in other tables: by column, in order."""
    found = {
        column: tuple(Origin(*origin, kind) for origin in map(_place, origins.split()))
        for kind, listed in _LISTED.items()
        for name, columns, origins in listed
        if name == table
        for column in columns.split()
    }
    for reference in TABLES[table].references:
        found[reference.column] = (Origin(reference.to_table, reference.to_column, "IDENTITY"),)
    return {column.name: found[column.name] for column in TABLES[table].columns if column.name in found}


def _place(name: str) -> tuple[str, str]:
    table, column = name.split(".")
    return table, column


def origin_tables(table: str) -> tuple[str, ...]:
    """Return the tables that the table's rows are made from, in the order of `schemas.tables.TABLES`."""
    named = {origin.table for origins in column_origins(table).values() for origin in origins}
    return tuple(name for name in TABLES if name in named)
