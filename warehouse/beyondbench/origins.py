"""Which columns the values of an edition of BeyondBench are made from."""

from perennial.schemas.benchmark import Origins

_PAYLOAD = "beyondbench_instances.payload"
_ASKED = f"{_PAYLOAD} calls.reply"
_SHOWN = "prompt reference solutions solutions_complete prompt_tokens solution_tokens"
_TESTED = "problems mutations refused also_right"

ORIGINS: Origins = {
    "TRANSFORMATION": (
        ("instances", "instance_id content_hash", _PAYLOAD),
        ("beyondbench_instances", "instance_id", _PAYLOAD),
        ("beyondbench_instances", _SHOWN, _PAYLOAD),
        ("episodes", "episode_id", "instances.instance_id"),
        ("episodes", "status success score turns", _ASKED),
        ("turns", "reply", _ASKED),
        ("beyondbench_answers", "answer parse_level instruction_followed detail is_best", _ASKED),
    ),
    "AGGREGATION": (
        ("beyondbench_gate", f"{_TESTED} unique", _PAYLOAD),
        (
            "statistics",
            "n value low high",
            "beyondbench_answers.instruction_followed beyondbench_answers.token_status "
            "beyondbench_instances.size",
        ),
    ),
}
