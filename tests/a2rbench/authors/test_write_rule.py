"""Rules that a model writes: accepted, refused with the reason, tried again, and given up."""

from dataclasses import replace

import pytest

from perennial.schemas.a2rbench.things import RuleType
from perennial.schemas.errors import EndpointFailed
from perennial.schemas.model_calls import Reply
from perennial.tasks.a2rbench.authored_code import EarlierCode
from perennial.tasks.a2rbench.catalogue import Dimension
from tests.a2rbench.authors.writing import ScriptedAsk, steps, write
from tests.a2rbench.scripted_authors import KNOWN

GOOD = [(1, step, None) for step in ("rule", "rule_judged", "code", "run", "judged")]


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "type_"), [(1, "symbolic"), (2, "semantic"), (3, "symbolic")])
def test_a_good_rule_passes_at_the_first_try(dimension: Dimension, type_: RuleType) -> None:
    ask = ScriptedAsk()
    work = write(ask, dimension, type_)
    assert steps(work) == GOOD
    assert work.tested is not None
    rule = work.tested.rule
    assert rule.code in {known.code for known in KNOWN if known.dimension == dimension}
    assert (rule.author, rule.type, rule.name[:5]) == ("author", type_, "rule_")
    assert len(work.tested.puzzle.inputs) == 6
    assert len(work.tested.inputs) == 26
    assert work.call_ids == [request.call_id for request in ask.requests]
    assert ask.requests[0].params["temperature"] == 0.5
    assert ask.requests[0].template == "a2rbench/authors/design.md.j2"


@pytest.mark.parametrize(
    ("fault", "step", "reason"),
    [
        ("not_json", "code", "not_json"),
        ("wrong_keys", "code", "not_the_form"),
        ("four_examples", "code", "not_the_form"),
        ("same_inputs", "run", "same_input"),
        ("ragged", "run", "bad_input"),
        ("wrong_inverse", "run", "open_cycle"),
        ("import", "run", "forbidden"),
        ("loop", "run", "time"),
        ("impure", "run", "impure"),
        ("no_inverse", "run", "no_function"),
        ("identity", "run", "unchanged"),
        ("constant", "run", "open_cycle"),
        ("deeper", "run", "bad_shape"),
        ("catalogue", "run", "known_rule"),
    ],
)
@pytest.mark.slow
def test_bad_code_goes_back_to_the_architect_with_the_reason(fault: str, step: str, reason: str) -> None:
    ask = ScriptedAsk({("architect", 1): fault})
    work = write(ask)
    assert (1, step, reason) in steps(work)
    assert steps(work)[-3:] == [(1, step, None) for step in ("code", "run", "judged")]
    assert work.tested is not None
    repeated = [request for request in ask.requests if request.role == "architect"][1]
    assert [message["role"] for message in repeated.messages] == ["system", "user", "assistant", "user"]
    failed = next(row for row in work.attempts.rows if row.reason)
    assert failed.message
    assert failed.message[:40] in repeated.messages[-1]["content"]
    assert [row.attempt for row in work.attempts.rows if row.step == "code"] == [1, 2]


@pytest.mark.slow
def test_an_inverse_that_fails_on_further_inputs_alone_names_one() -> None:
    work = write(ScriptedAsk({("architect", 1): "wrong_inverse"}))
    failed = next(row for row in work.attempts.rows if row.reason)
    assert failed.message is not None
    assert failed.message.startswith('on the further input ["')
    assert failed.call_id is None


@pytest.mark.slow
def test_a_refusal_of_the_words_ends_the_candidate_before_code_is_paid_for() -> None:
    ask = ScriptedAsk({("judge", 1): "refuses"})
    work = write(ask)
    assert steps(work)[:2] == [(1, "rule", None), (1, "rule_judged", "refused_by_judge")]
    assert [each[0] for each in steps(work)[2:]] == [2] * 5
    assert work.tested is not None
    assert ask.counts["architect"] == 1
    assert work.call_ids == [request.call_id for request in ask.requests[2:]]
    first, second = (request for request in ask.requests if request.role == "designer")
    assert first.messages != second.messages


@pytest.mark.slow
def test_a_refusal_of_the_code_is_shown_to_the_architect_until_no_try_is_left() -> None:
    ask = ScriptedAsk({("judge", 2): "refuses", ("judge", 3): "refuses"})
    work = write(ask, candidates=1)
    assert [row.reason for row in work.attempts.rows if row.step == "judged"] == ["refused_by_judge"] * 2
    assert work.tested is None
    assert ask.counts == {"designer": 1, "architect": 2, "judge": 3}
    assert "words and code agree" in ask.requests[-2].messages[-1]["content"]


@pytest.mark.parametrize("fault", ["not_json", "wrong_keys", "blank"])
def test_a_designer_that_never_replies_in_the_form_uses_all_tries(fault: str) -> None:
    ask = ScriptedAsk({("designer", number): fault for number in range(1, 5)})
    work = write(ask)
    assert work.tested is None
    assert ask.counts == {"designer": 4}
    assert len({request.call_id for request in ask.requests}) == 4
    assert [row.attempt for row in work.attempts.rows] == [1, 2, 1, 2]


@pytest.mark.slow
def test_a_judge_whose_reply_is_garbled_is_asked_again() -> None:
    work = write(ScriptedAsk({("judge", 1): "garbled", ("judge", 3): "garbled"}))
    assert [reason for _, _, reason in steps(work) if reason] == ["not_json", "not_json"]
    assert work.tested is not None


@pytest.mark.slow
@pytest.mark.parametrize(("status", "text"), [("truncated", "{"), ("empty", "")])
def test_a_reply_without_text_is_asked_for_again(status: str, text: str) -> None:
    def damage(reply: Reply) -> Reply:
        return replace(reply, status=status, content=text)  # type: ignore[arg-type]

    ask = ScriptedAsk(damages={("designer", 1): damage})
    work = write(ask)
    assert steps(work)[0] == (1, "rule", status)
    assert work.tested is not None
    roles = [message["role"] for message in ask.requests[1].messages]
    assert roles == ["system", "user", *(["assistant", "user"] if text else [])]


def test_a_call_without_an_answer_stops_and_a_rejected_one_ends_the_seed() -> None:
    def fail(reply: Reply) -> Reply:
        return replace(reply, status="unavailable", content="", error="HTTP 503")

    def reject(reply: Reply) -> Reply:
        return replace(reply, status="rejected", content="", error="HTTP 400: no such model")

    with pytest.raises(EndpointFailed, match="503"):
        write(ScriptedAsk(damages={("designer", 1): fail}))
    ask = ScriptedAsk(damages={("designer", 1): reject, ("designer", 2): reject})
    work = write(ask)
    assert steps(work) == [(1, "rule", "rejected")]
    assert work.tested is None


@pytest.mark.slow
def test_a_rule_that_an_earlier_edition_has_is_refused() -> None:
    first = write(ScriptedAsk())
    assert first.tested is not None
    other = first.tested.rule.code.replace("grid", "given").replace("transform_given", "transform_grid")
    work = write(ScriptedAsk(), known=EarlierCode((other,)), candidates=1, retries=0)
    assert steps(work)[-1] == (1, "run", "known_rule")
    assert work.tested is None
