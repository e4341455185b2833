"""What sampling refuses: the rules whose breach makes an instance ambiguous or wrong."""

import pytest

from perennial.schemas.errors import UnusableConfig
from perennial.schemas.kumo.things import SeedConfig
from perennial.tasks.kumo.validation import RULES, refuse_unsafe, validate_config
from tests.kumo.test_validation import CASES, label, with_smell


@pytest.mark.parametrize(("rule", "config"), [(c[0], c[1]) for c in CASES], ids=[c[0] for c in CASES])
def test_sampling_refuses_exactly_the_unsafe_rules(rule: str, config: SeedConfig) -> None:
    if RULES[rule].unsafe:
        with pytest.raises(UnusableConfig, match=rule):
            refuse_unsafe(config)
    else:
        returned = refuse_unsafe(config)
        assert returned == validate_config(config)
        assert rule in {found.rule for found in returned}


def test_the_unsafe_rules_are_those_that_make_an_instance_ambiguous_or_wrong() -> None:
    safe = {name for name, rule in RULES.items() if not rule.unsafe}
    assert safe == {
        "unfit-text",
        "long-name",
        "long-text",
        "untrimmed-name",
        "blank-noun",
        "unknown-note",
        "unlisted-outcome",
        "undeclared-type",
        "missing-type",
        "too-few-states",
        "range-gap",
        "repeated-rule-out",
        "never-ruled-out",
        "rules-out-nothing",
        "too-few-truths",
        "too-few-actions",
        "few-truths",
        "few-actions",
    }
    assert {name for name, rule in RULES.items() if rule.severity == "warning"} == {
        "long-name",
        "long-text",
        "unknown-note",
        "range-gap",
        "repeated-rule-out",
        "few-truths",
        "few-actions",
    }


def test_a_refusal_counts_all_and_quotes_the_first_in_one_line() -> None:
    config = with_smell(label("a", *(f"Tree {i}" for i in range(1000))), label("b", "Oak"))
    with pytest.raises(UnusableConfig) as refusal:
        refuse_unsafe(config)
    message = str(refusal.value)
    assert "unknown-truth (1000)" in message
    assert "and 997 more" in message
    assert "'Tree 2'" in message
    assert len(message) < 1500
    assert message.isprintable()
