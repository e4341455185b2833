"""Which columns the values of an edition of KnowLogic are made from."""

from perennial.schemas.benchmark import Origins

_PAYLOAD = "knowlogic_questions.payload"
_ASKED = "knowlogic_questions.letters calls.reply"
_LABELS = "precision properties relations rules chain_length variables level difficulty"

ORIGINS: Origins = {
    "TRANSFORMATION": (
        ("instances", "instance_id content_hash setting", _PAYLOAD),
        ("knowlogic_questions", "instance_id pair", _PAYLOAD),
        ("knowlogic_questions", "text question options letters has_none prompt", _PAYLOAD),
        ("knowlogic_questions", _LABELS, _PAYLOAD),
        ("episodes", "episode_id", "instances.instance_id"),
        ("episodes", "status success score turns", _ASKED),
        ("turns", "reply", _ASKED),
        ("knowlogic_answers", "letters extracted brackets", "calls.reply"),
        ("knowlogic_answers", "error_class", _ASKED),
        ("knowlogic_analyses", "outcome_category justification", f"{_ASKED} {_PAYLOAD}"),
    ),
    "AGGREGATION": (("knowlogic_gate", "pairs texts proved options changes refused", _PAYLOAD),),
}
