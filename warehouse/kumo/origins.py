"""Which columns the values of KUMO's columns, and of shared ones, are made from in an edition of KUMO."""

from perennial.schemas.benchmark import Origins

_CONFIG = "kumo_seed_configs.config"
# What a book must say: the rules of an instance follow from its truths, its actions and its configuration.
_RULES = f"{_CONFIG} kumo_instances.truths kumo_instances.actions"
_PLAYED = (
    "kumo_instances.states kumo_instances.valid_truths kumo_instances.golden kumo_instances.promise_golden "
    "kumo_books.text calls.reply"
)
_INSTANCE = (
    "kumo_instances.signature kumo_instances.n_actions kumo_instances.optimal_tests "
    "kumo_instances.promise_tests kumo_instances.promise_status"
)
_PROPOSED = "name category goal truth_noun action_noun book_title truth_description action_description"
_SOLVED = (
    "states observations valid_truths expected_steps optimal_tests golden signature promise_status "
    "promise_steps promise_steps_low policy_steps promise_tests promise_golden"
)
_CHECKED = "text version verdict missing_rules extra_rules confirmed_rules ambiguous_rules other_text"

ORIGINS: Origins = {
    "IDENTITY": (
        ("kumo_authored_domains", "call_ids", "calls.call_id"),
        ("kumo_seed_configs", "call_ids", "calls.call_id"),
        ("kumo_books", "author checked_by judged_by", "calls.model"),
        ("kumo_books", "check_call_ids judge_call_ids", "calls.call_id"),
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
        ("kumo_books", "judged_right", "calls.reply"),
        ("episodes", "episode_id", "instances.instance_id kumo_books.book_id"),
        ("episodes", "status success score turns", _PLAYED),
        ("turns", "reply", _PLAYED),
        ("turns", "feedback", "kumo_instances.observations"),
        ("kumo_episodes", "tests decided", _PLAYED),
        ("kumo_moves", "kind move", _PLAYED),
        ("kumo_beliefs", "probability largest stated", f"{_CONFIG} {_PLAYED}"),
        ("kumo_beliefs", "optimum_success optimum_tests optimum_count", _RULES),
        ("kumo_moves", "state", "kumo_instances.states"),
    ),
    "AGGREGATION": (
        (
            "statistics",
            "n value low high p_value p_adjusted",
            f"kumo_episodes.tests kumo_episodes.decided {_INSTANCE} {_CONFIG}",
        ),
    ),
}
