"""Books by models, driven through scripted models: written, read back, revised, with every fault alone."""

import asyncio
import random
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given

from perennial.schemas.errors import EndpointFailed
from perennial.schemas.kumo.things import BookVerdict
from perennial.schemas.model_calls import ModelChoice, ModelRequest, Reply
from perennial.tasks.kumo.authors.books import judge_book, write_model_book
from perennial.tasks.kumo.books import check_book, count_characters
from tests.kumo.asking_models import board_of
from tests.kumo.small_worlds import some, worlds
from tests.kumo.test_books import CLINIC
from tests.kumo.test_players import episode_of
from tests.server.roles import checker, judge, reviser, writer
from tests.server.roles.writer import SPEECH
from tests.server.script import Asked

SCRIPTS = {script.role: script for script in (writer.SCRIPT, checker.SCRIPT, reviser.SCRIPT, judge.SCRIPT)}
WRITER = ModelChoice("author-model", {"temperature": 0.7})
REVISER = ModelChoice("editor-model", {"max_tokens": 4000})


@dataclass
class ScriptedAsk:
    """Answers by the scripts. `faults[role]` are the faults of that role's calls, in order, then none.

    A fault that names a call status gives that status; one ending in `*` stays. Servers without structured
    output reject requests that have a `response_format`.
    """

    faults: dict[str, list[str | None]] = field(default_factory=dict)
    structured: bool = True
    asked: list[ModelRequest] = field(default_factory=list)

    async def __call__(self, request: ModelRequest) -> Reply:
        self.asked.append(request)
        if not self.structured and "response_format" in request.params:
            return Reply(request.call_id, "rejected", error="HTTP 400: no response_format here")
        fault = self._fault(request.role)
        if fault in ("truncated", "refused", "empty", "rejected", "unavailable", "html_body", "invalid_body"):
            return Reply(request.call_id, fault, error=f"endpoint says {fault}")
        asked = Asked(request.model, request.messages, request.params)
        (script,) = [script for script in SCRIPTS.values() if script.recognises(asked)]
        assert script.role == request.role
        rng = random.Random(request.call_id)
        return Reply(request.call_id, "ok", content=script.reply(asked, fault, rng), finish_reason="stop")

    def _fault(self, role: str) -> str | None:
        due = self.faults.get(role, [])
        if due and due[0] is not None and due[0].endswith("*"):
            return due[0][:-1]
        return due.pop(0) if due else None

    def roles(self) -> list[str]:
        return [request.role for request in self.asked]

    def prompts(self, role: str) -> list[str]:
        return [request.messages[-1]["content"] for request in self.asked if request.role == role]


def history_of(ask, world=CLINIC, rounds=3):
    return asyncio.run(
        write_model_book(
            ask,
            WRITER,
            REVISER,
            world.config,
            world.instance,
            world.rules,
            instance_id="ins_1",
            rounds=rounds,
        )
    )


def rules_broken(history):
    return [rejection.rule for rejection in history.rejections]


def test_a_right_book_passes_at_once():
    ask = ScriptedAsk()
    history = history_of(ask)
    (version,) = history.versions
    assert history.passed_version is version
    assert history.rejections == ()
    assert ask.roles() == ["writer", "checker"]
    writing, reading = ask.asked
    assert version.verdict == BookVerdict(characters=count_characters(version.text))
    assert (version.revision, version.author, version.checked_by) == (0, "author-model", "editor-model")
    assert (version.call_id, version.check_call_ids) == (writing.call_id, (reading.call_id,))
    assert (writing.model, writing.params) == ("author-model", {"temperature": 0.7})
    assert (writing.template, reading.template) == (
        "kumo/authors/write_book.md.j2",
        "kumo/authors/read_back.md.j2",
    )
    assert reading.model == "editor-model"
    assert reading.params["max_tokens"] == 4000
    assert reading.params["response_format"]["json_schema"]["strict"] is True
    assert version.text.startswith("# The Clinic's Guidebook\n")
    assert version.text.endswith(".\n")


@pytest.mark.slow
@some
@given(worlds())
def test_any_instances_book_passes_and_can_be_played_by(world):
    version = history_of(ScriptedAsk(), world).passed_version
    assert version is not None
    assert check_book(version.text, world.instance, world.rules).passed
    board = replace(board_of(world), book=version.text)
    assert episode_of("reader", board).status == "solved"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        ("missing_rule", {"missing"}),
        ("extra_rule", {"extra"}),
        ("confirmation", {"confirmed"}),
        ("ambiguous", {"ambiguous"}),
        ("wrong_name", {"missing", "extra"}),
    ],
)
def test_each_error_of_the_writer_is_found_as_its_kind_and_revised(fault, kinds, seed):
    ask = ScriptedAsk({"writer": [fault]})
    world = replace(CLINIC, config=replace(CLINIC.config, book_title=f"Book {seed}"))  # another rng
    history = history_of(ask, world)
    first, second = history.versions
    found = {
        kind: getattr(first.verdict, kind)
        for kind in ("missing", "extra", "confirmed", "ambiguous")
        if getattr(first.verdict, kind)
    }
    assert set(found) == kinds
    assert all(len(lines) == 1 for lines in found.values())
    assert not first.verdict.passed
    assert history.passed_version is second
    assert (second.revision, second.author) == (1, "editor-model")
    assert second.verdict == BookVerdict(characters=count_characters(second.text))
    assert ask.roles() == ["writer", "checker", "reviser", "checker"]
    (prompt,) = ask.prompts("reviser")
    assert f"<BOOK>\n{first.text}</BOOK>" in prompt
    assert all(f"- {line}\n" in prompt for lines in found.values() for line in lines)
    (rejection,) = history.rejections
    assert (rejection.stage, rejection.subject) == ("books", "ins_1")
    assert (rejection.rule, rejection.call_id) == ("book_rules_differ", first.call_id)
    counts = ", ".join(
        f"{int(kind in kinds)} {kind}" for kind in ("missing", "extra", "confirmed", "ambiguous")
    )
    assert rejection.message.startswith(f"round 0: {counts}; ")


def test_a_book_that_speaks_to_players_goes_to_the_reviser_with_its_sentences():
    ask = ScriptedAsk({"writer": ["speech"]})
    history = history_of(ask)
    first, second = history.versions
    assert first.verdict.other == (SPEECH[: len(SPEECH) // 12 - 1],) * 12
    assert not first.verdict.passed
    assert history.passed_version is second
    share = f"{first.verdict.other_text} of {first.verdict.characters:,} characters"
    (prompt,) = ask.prompts("reviser")
    assert f"({share}, expected a tenth at most)" in prompt
    assert prompt.count(f"- {first.verdict.other[0]}\n") == 12
    (rejection,) = history.rejections
    assert f"; {share} other text; " in rejection.message


def test_a_reply_without_tags_is_no_book():
    ask = ScriptedAsk({"writer": ["no_tags"]})
    history = history_of(ask)
    (rejection,) = history.rejections
    assert (rejection.rule, rejection.call_id) == ("no_book", ask.asked[0].call_id)
    (version,) = history.versions
    assert history.passed_version is version
    assert (version.revision, version.author, version.call_id) == (0, "editor-model", ask.asked[1].call_id)
    assert ask.roles() == ["writer", "reviser", "checker"]
    (prompt,) = ask.prompts("reviser")
    assert prompt.startswith("Write the guidebook of a game")
    assert "no text between <BOOK> and </BOOK>" in prompt


@pytest.mark.parametrize("status", ["truncated", "refused", "empty"])
@pytest.mark.parametrize("role", ["writer", "reviser"])
def test_a_reply_that_gives_no_book_uses_up_a_round(role, status):
    faults = {"writer": ["missing_rule"], "reviser": []} | {role: [status]}
    history = history_of(ScriptedAsk(faults))
    assert status in rules_broken(history)
    assert history.passed_version is not None
    assert len(set(history.rejections)) == len(history.rejections)
    assert [version.revision for version in history.versions] == list(range(len(history.versions)))


def test_a_reviser_who_sees_no_error_is_asked_again():
    ask = ScriptedAsk({"writer": ["missing_rule"], "reviser": ["sees_no_error"]})
    history = history_of(ask)
    assert rules_broken(history) == ["book_rules_differ", "reviser_saw_no_error"]
    assert history.passed_version is history.versions[1]
    first, second = [request for request in ask.asked if request.role == "reviser"]
    assert (first.repeat, second.repeat) == (0, 1)
    assert history.rejections[1].call_id == first.call_id
    assert "answered True and revised nothing" in second.messages[-1]["content"]
    assert "answered True and revised nothing" not in first.messages[-1]["content"]
    assert ask.roles() == ["writer", "checker", "reviser", "reviser", "checker"]


@pytest.mark.parametrize("rounds", [0, 1, 3])
@pytest.mark.parametrize("fault", ["never_right*", "still_wrong*"])
def test_a_book_that_never_passes_is_kept_with_all_versions(fault, rounds):
    ask = ScriptedAsk({"writer": ["confirmation"], "reviser": [fault]})
    history = history_of(ask, rounds=rounds)
    assert history.passed_version is None
    assert [version.revision for version in history.versions] == list(range(rounds + 1))
    assert not any(version.verdict.passed for version in history.versions)
    assert all(version.verdict.was_read for version in history.versions)
    assert rules_broken(history) == ["book_rules_differ"] * (rounds + 1)
    assert len(set(history.rejections)) == rounds + 1
    assert [r.call_id for r in history.rejections] == [version.call_id for version in history.versions]
    assert len(ask.prompts("reviser")) == rounds


@pytest.mark.parametrize("fault", ["wrong_form", "truncated", "refused", "empty"])
def test_an_unusable_read_back_is_asked_for_again_with_the_reason(fault):
    ask = ScriptedAsk({"checker": [fault, fault]})
    history = history_of(ask)
    assert history.rejections == ()
    readings = [request for request in ask.asked if request.role == "checker"]
    assert [request.repeat for request in readings] == [0, 1, 2]
    (version,) = history.versions
    assert version.check_call_ids == tuple(request.call_id for request in readings)
    reason = "not of the form asked for: actions: field required" if fault == "wrong_form" else "the "
    told = ["Your last answer could not be used: the" in prompt for prompt in ask.prompts("checker")]
    assert told == [False, True, True]
    assert all(reason in prompt for prompt in ask.prompts("checker")[1:])


def test_a_book_that_nobody_can_read_back_is_not_blamed():
    ask = ScriptedAsk({"checker": ["wrong_form"] * 3})
    history = history_of(ask)
    first, second = history.versions
    assert first.verdict == BookVerdict(was_read=False, characters=count_characters(first.text))
    assert len(first.check_call_ids) == 3
    assert history.passed_version is second
    (rejection,) = history.rejections
    assert (rejection.rule, rejection.call_id) == ("unreadable_read_back", first.check_call_ids[-1])
    (prompt,) = ask.prompts("reviser")
    assert "A reader was asked to write down what this guidebook says, and failed to" in prompt


@pytest.mark.parametrize(
    ("faults", "versions", "broken"),
    [
        ({"writer": ["rejected"]}, 0, ["rejected"]),
        ({"checker": ["rejected*"]}, 1, ["rejected"]),
        ({"writer": ["ambiguous"], "reviser": ["rejected"]}, 1, ["book_rules_differ", "rejected"]),
    ],
)
def test_a_rejected_request_ends_the_history(faults, versions, broken):
    ask = ScriptedAsk(faults)
    history = history_of(ask)
    assert len(ask.prompts("checker")) <= 2  # with structured output and without
    assert history.passed_version is None
    assert len(history.versions) == versions
    assert rules_broken(history) == broken
    assert "endpoint says rejected" in history.rejections[-1].message


@pytest.mark.parametrize("status", ["unavailable", "html_body", "invalid_body"])
@pytest.mark.parametrize("role", ["writer", "checker", "reviser"])
def test_a_call_without_an_answer_is_an_error_of_the_endpoint(role, status):
    faults = {"writer": ["missing_rule"]} | {role: [status]}
    with pytest.raises(EndpointFailed, match=f"endpoint says {status}"):
        history_of(ScriptedAsk(faults))


def test_no_message_tells_anything_of_the_case():
    other = replace(
        CLINIC.instance, observations=(39.25, "clear"), states=(1, 0), valid_truths=("Flu",), seed=77, index=5
    )
    asks = []
    for instance in (CLINIC.instance, other):
        ask = ScriptedAsk({"writer": ["confirmation"], "reviser": ["sees_no_error", "still_wrong"]})
        history_of(ask, replace(CLINIC, instance=instance))
        asks.append(ask)
    assert asks[0].roles() == asks[1].roles()
    assert {"writer", "checker", "reviser"} == set(asks[0].roles())
    assert [request.messages for request in asks[0].asked] == [request.messages for request in asks[1].asked]
    texts = [message["content"] for request in asks[1].asked for message in request.messages]
    assert not any("39.25" in text or "36.2" in text for text in texts)


def test_the_reader_is_told_names_and_book_but_no_rules():
    asks = []
    for outcomes in (CLINIC.config.outcomes, ()):
        ask = ScriptedAsk()
        history_of(ask, replace(CLINIC, config=replace(CLINIC.config, outcomes=outcomes)))
        (prompt,) = ask.prompts("checker")
        before, _, after = prompt.partition("<BOOK>")
        asks.append(before + after.partition("</BOOK>")[2])
    assert asks[0] == asks[1]
    assert "- Cold\n- Flu\n" in asks[0]
    assert "- Thermometer\n- Swab\n" in asks[0]
    assert not any(told in asks[0] for told in ('"clear"', "37.5", "°C"))


# The judge of books: asked until it says what it holds of a book.


@pytest.mark.parametrize(
    ("faults", "is_right", "n_calls"),
    [([], True, 1), (["no_tags", "truncated"], True, 3), (["no_tags*"], None, 3), (["rejected*"], None, 1)],
)
def test_a_judge_is_asked_again_until_it_says_so(
    faults: list[str | None], is_right: bool | None, n_calls: int
) -> None:
    book = history_of(ScriptedAsk()).versions[0].text
    ask = ScriptedAsk({"judge": faults})
    judging = judge_book(ask, REVISER, CLINIC.config, CLINIC.instance, CLINIC.rules, book)
    found = asyncio.run(judging)
    assert (found.judge, found.is_right, len(set(found.call_ids))) == (REVISER.model, is_right, n_calls)
    repeated = ["The last answer could not be used: the" in prompt for prompt in ask.prompts("judge")]
    assert repeated == [False, True, True][:n_calls]
