"""The message templates of a clone of the authors' repository: read as syntax trees, all else refused."""

import ast
from pathlib import Path

import pytest

from perennial.flows.kumo.release.domain_files import read_messages
from perennial.schemas.errors import InvalidOption, PerennialError, UnreadableInput
from perennial.schemas.kumo.plan import PaperMessages, plan_protocol
from perennial.schemas.text import escape, fill, slots_of
from perennial.tasks.kumo.release.message_syntax import read_system_prompt
from tests.kumo.paper_clone import AGENT, AGENT_FILE, ENVIRONMENT, ENVIRONMENT_FILE, write_clone

HEAD = "\nOne {{cause}} is left over.\nCauses: {truths}\nTests: {actions}\n"
ASK = "Tests: {actions}\nCauses: {truths}\nWrite <ANSWER> ${{name}} </ANSWER>."


def test_the_templates_are_read_and_nothing_is_executed(tmp_path: Path) -> None:
    found = read_messages(write_clone(tmp_path), ["ChemicalEnv", "DerivedEnv"])
    assert found["ChemicalEnv"] == PaperMessages(
        domain="ChemicalEnv",
        system=HEAD + "\n<BOOK>\n{book}\n</BOOK>",
        closed=HEAD,
        first=ASK,
        begin="Go ahead.",
        observed="Seen: {observation}",
        tail="\n--\n" + ASK,
    )
    assert found["DerivedEnv"].system == found["ChemicalEnv"].system
    assert found["DerivedEnv"].template == "kumo-2025/DerivedEnv"


def test_the_hash_is_that_of_every_text_and_of_nothing_else(tmp_path: Path) -> None:
    def read(agent: str = AGENT, environment: str = ENVIRONMENT) -> str:
        return read_messages(write_clone(tmp_path, agent, environment), ["ChemicalEnv"])[
            "ChemicalEnv"
        ].template_hash

    first = read()
    assert first == read(environment=ENVIRONMENT + "\n# a remark\n")
    changed = [
        read(AGENT.replace("Go ahead", "Go on")),
        read(AGENT.replace("Seen", "Saw")),
        read(environment=ENVIRONMENT.replace("left over", "left")),
        read(environment=ENVIRONMENT.replace("\\n<BOOK>", "<BOOK>")),
    ]
    assert len({first, *changed}) == 5


def test_a_plan_gives_back_what_it_keeps(tmp_path: Path) -> None:
    found = read_messages(write_clone(tmp_path), ["ChemicalEnv"])["ChemicalEnv"]
    plan = plan_protocol({"Chemical Analysis": found})
    assert plan["templates"] == {"Chemical Analysis": found.template_hash}
    assert PaperMessages.in_plan(plan, "Chemical Analysis") == found
    assert PaperMessages.in_plan({}, "Chemical Analysis") is None


def _replaced(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("agent", "environment", "told"),
    [
        ((AGENT, "VanillaAgent\")", "Other\")"), None, "no class is registered as VanillaAgent"),
        ((AGENT, "def response", "def answer"), None, "with a method `response`"),
        ((AGENT, "messages = copy.deepcopy(self.messages)", "messages = load()"), None, "line 11"),
        ((AGENT, "Tests: {self.A}\\nCauses", "Causes"), None, "another order"),
        ((AGENT, "{self.A}", "{self.A!r:>9}"), None, "FormattedValue"),
        ((AGENT, '"Go ahead."', "ask"), None, "another order"),
        ((AGENT, 'user", "content": "Go', 'system", "content": "Go'), None, "another order"),
        ((AGENT, "Seen: {observation}", "Seen it"), None, "another order"),
        ((AGENT, "outputs = self.llm_model.call_llm(messages, return_dict=True)", ""), None, "Subscr"),
        ((AGENT, "class VanillaAgent", "clas VanillaAgent"), None, "not Python"),
        (None, (ENVIRONMENT, "ChemicalEnv\")", "OtherEnv\")"), None),
        (None, (ENVIRONMENT, "def get_system_prompt", "def prompt"), "no class is registered as ChemicalEnv"),
        (None, (ENVIRONMENT, "Tests: {self.env.action_space}\n", ""), "shows book, truths, expected actions"),
        (None, (ENVIRONMENT, "{book}", "book"), "shows actions, truths, expected actions, book, truths"),
        (None, (ENVIRONMENT, "return prompt", "return load(prompt)"), "Call"),
        (None, (ENVIRONMENT, "return prompt", "pass"), "no text is returned"),
        (None, (ENVIRONMENT, "            return prompt", "            del prompt"), "Delete"),
        (None, (ENVIRONMENT, "book is not None", "len(book)"), "a condition on something else"),
        (None, (ENVIRONMENT, '</BOOK>"', '" + None'), "None in the place of a text"),
    ],
)  # fmt: skip
def test_an_altered_template_is_one_line_with_file_expectation_and_remedy(
    tmp_path: Path,
    agent: tuple[str, str, str] | None,
    environment: tuple[str, str, str] | None,
    told: str | None,
) -> None:
    files = [
        _replaced(*change) if change else text
        for change, text in ((agent, AGENT), (environment, ENVIRONMENT))
    ]
    root = write_clone(tmp_path, *files)
    if told is None:
        # The class still bears the domain's name.
        assert read_messages(root, ["ChemicalEnv"])
        return
    with pytest.raises(UnreadableInput) as raised:
        read_messages(root, ["ChemicalEnv"])
    message = str(raised.value)
    assert any(part in message for part in told.split("|")), message
    assert "\n" not in message
    assert "expected" in message or "not Python" in message
    assert "give --release an unchanged clone" in message
    assert (AGENT_FILE if agent else "env/") in message


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda root: (root / AGENT_FILE).unlink(), f"{AGENT_FILE}: missing"),
        (lambda root: (root / ENVIRONMENT_FILE).unlink(), "no class is registered as ChemicalEnv"),
        (lambda root: (root / AGENT_FILE).write_bytes(b"x = '\xff'"), "not UTF-8"),
        (lambda root: (root / AGENT_FILE).write_bytes(b"#" * 200_001), "larger than 200,000 bytes"),
        (lambda root: (root / AGENT_FILE).write_text("(" * 5_000), "Python"),
    ],
)
def test_a_missing_or_unreadable_file_is_named(tmp_path: Path, spoil, told: str) -> None:
    root = write_clone(tmp_path)
    spoil(root)
    with pytest.raises(UnreadableInput, match="give --release") as raised:
        read_messages(root, ["ChemicalEnv"])
    assert told in str(raised.value)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="no such folder"):
        read_messages(tmp_path / "nowhere", ["ChemicalEnv"])


def test_a_message_that_doubles_itself_is_refused_before_it_fills_the_memory() -> None:
    doubling = "\n".join(["    a = f'{a}{a}'"] * 60)
    (method,) = ast.parse(f"def get_system_prompt(self, book):\n    a = 'ab'\n{doubling}\n    return a").body
    assert isinstance(method, ast.FunctionDef)
    with pytest.raises(PerennialError, match="more than 100,000 characters"):
        read_system_prompt(method, "x.py")


def test_slots_are_filled_by_name_alone() -> None:
    template = escape("a {b} ") + "{truths}" + escape("{}")
    assert slots_of(template) == {"truths"}
    assert fill(template, {"truths": "{actions} {{"}) == "a {b} {actions} {{{}"
    with pytest.raises(KeyError):
        fill("{truths.__class__}", {"truths": "x"})
