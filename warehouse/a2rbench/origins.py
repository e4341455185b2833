"""Which columns the values of an edition of A2RBench are made from."""

from perennial.schemas.benchmark import Origins

_SHOWN = "a2rbench_items.code a2rbench_items.examples a2rbench_items.query"
_ASKED = "a2rbench_items.answer calls.reply"
_MEASURES = "max_loop_depth total_ifs max_if_depth max_complexity mutability return_complexity"

ORIGINS: Origins = {
    "TRANSFORMATION": (
        ("instances", "instance_id content_hash", "a2rbench_items.examples a2rbench_items.query"),
        ("instances", "domain setting", "a2rbench_items.rule a2rbench_items.variation"),
        ("a2rbench_published", "status", "a2rbench_published.line"),
        ("a2rbench_items", "instance_id fits fits_other prompt gzip deflate", _SHOWN),
        ("a2rbench_items", "answer commutes", _SHOWN),
        ("a2rbench_items", _MEASURES, "a2rbench_items.code"),
        ("a2rbench_items", "examples query", "a2rbench_rules.inputs calls.reply"),
        ("a2rbench_items", "rule code description", "a2rbench_rules.code a2rbench_rules.description"),
        ("a2rbench_attempts", "passed reason message", "calls.reply"),
        ("episodes", "episode_id", "instances.instance_id"),
        ("episodes", "status success score turns", _ASKED),
        ("turns", "reply", _ASKED),
        ("a2rbench_answers", "answer rule parse format_level collapsed", "calls.reply"),
        ("a2rbench_analyses", "outcome_category reasoning_style justification", f"{_ASKED} {_SHOWN}"),
    ),
    "AGGREGATION": (("a2rbench_gate", "items outputs cycles unique prompts copies", _SHOWN),),
}
