"""Readers of JSON, TOML and CSV from outside meet hostile values: one short line that names the file."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from perennial.flows.console.input_files import read_text_file
from perennial.flows.kumo.planning.domain_choice import choose_domain
from perennial.flows.study.study_file import read_study
from perennial.flows.training import ChatFile
from perennial.flows.website.folder import RECORD, SiteFolder
from perennial.schemas.errors import PerennialError
from perennial.schemas.json_text import JsonBeyondBounds
from perennial.schemas.settings import load_settings
from perennial.schemas.settings.models import load_models
from perennial.tasks.a2rbench.published import read_lines
from perennial.tasks.knowlogic.published import read_questions
from perennial.tasks.kumo.authors.proposal import read_proposals
from perennial.tasks.kumo.encoding import encode_config, parse_instances
from perennial.tasks.kumo.release.configurations import config_from_json
from perennial.tasks.llm.endpoint import read_completion
from perennial.tasks.llm.server_batches.forms import OutputLine, read_form
from perennial.warehouse.beyondbench.release import parse_leaderboard
from perennial.warehouse.catalog.scores import parse_scores
from perennial.warehouse.catalog.withdrawals import history
from perennial.warehouse.editions.manifest import read_manifest
from perennial.warehouse.kumo.domains.generate import build_config
from perennial.warehouse.staging import Staging, read_unfinished
from perennial.warehouse.store.store import ROOT_FILE, Store, find_root_id
from tests.warehouse.test_seed_facts import DOMAIN, TABLE

DIGITS = "7" * 10_000
REFUSED = ("[" * 40_000, "NaN", "-Infinity", "1e400", '{"a": 1, "a": 2}', '"\\udc00"', DIGITS)
# Values that JSON may have, and no reader wants.
ODD = ("1e-320", f'"{DIGITS}"', "-1e300", "1" + "0" * 400)
DOTTED = f"1\n{'a.' * 10_000}b = 1"
TOML = (
    "nan",
    "-inf",
    "{a = 1, a = 2}",
    f"0x{'f' * 10_000}",
    f'"{DIGITS}',
    DOTTED,
    REFUSED[0],
    *REFUSED[3:],
    *ODD,
)
STORE, ENCODED = Store("."), encode_config(choose_domain("mineral_identification")[0])


def _text(name: str) -> tuple[str, str]:
    return read_text_file(Path(name)), name


# Of each file how it is read, and a document with @ for a value.
READERS: dict[str, tuple[Callable[[], object], str]] = {
    "c.jsonl": (
        lambda: ChatFile(Path("c.jsonl"), "train", lambda _: {}, 9),
        '{"messages": [{"content": @}]}',
    ),
    "practice.jsonl": (
        lambda: ChatFile(Path("practice.jsonl"), "train", lambda _: {}, 9),
        '{"grader": "g", "seed": @}',
    ),
    RECORD: (lambda: SiteFolder(Path()).read(), '{"pending": [], "owners": [], "parts": {}, "format": @}'),
    "manifests/e.json": (lambda: read_manifest(STORE, "e"), '{"format": @, "files": []}'),
    "withdrawals/e.json": (lambda: history(STORE, "e"), '{"format": @, "events": []}'),
    "staging/e/plan.json": (lambda: Staging(STORE, "e").read_plan(), '{"edition": @}'),
    "staging/e/done/k.json": (lambda: Staging(STORE, "e").parts("k"), '{"t": @}'),
    "staging/.unfinished.json": (lambda: read_unfinished(STORE), '{"a": @}'),
    ROOT_FILE: (lambda: find_root_id(STORE), "@"),
    "leaders.json": (
        lambda: parse_leaderboard(Path("leaders.json").read_bytes(), "leaders.json"),
        '[{"model": @}]',
    ),
    "accuracy.json": (
        lambda: parse_leaderboard(Path("accuracy.json").read_bytes(), "accuracy.json"),
        '[{"model": "m", "accuracy": @}]',
    ),
    "knowlogic.json": (lambda: read_questions(*_text("knowlogic.json")), '[{"id": @}]'),
    "knowlogic.jsonl": (lambda: read_questions(*_text("knowlogic.jsonl")), '{"id": @}'),
    "a2rbench.jsonl": (lambda: read_lines(*_text("a2rbench.jsonl")), '{"question_id": @}'),
    "n.json": (lambda: config_from_json(read_text_file(Path("n.json")), "n", "n.json"), '{"name": @}'),
    "proposals.jsonl": (lambda: read_proposals(*_text("proposals.jsonl")), '{"name": @}'),
    "i.jsonl": (lambda: [*parse_instances(_text("i.jsonl")[:1], ENCODED, "i.jsonl")], '{"truths": @}'),
    "perennial.toml": (lambda: load_settings({}), "tokens_per_minute = @"),
    "models.toml": (load_models, "[o3]\nmax_output = @"),
    "study.toml": (lambda: read_study(Path("study.toml")), "tasks = @"),
    **{
        f"{number}.toml": (
            lambda n=number: build_config(TABLE, *_text(f"{n}.toml")),
            DOMAIN.replace(old, "@"),
        )  # type: ignore[misc]
        for number, old in enumerate(('"Trees"', "5, ", "step = 1", '"red"', '"weight"'))
    },
}


def _refusal(read: Callable[[], object], name: str, content: bytes) -> str:
    """The line that refuses the file with this content, "" if it is read."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(content)
    try:
        read()
    except PerennialError as error:
        line, exit_code = str(error), error.exit_code
    else:
        return ""
    assert (exit_code in (1, 2, 5, 8), line.isprintable(), name in line, len(line) < 400) == (True,) * 4, line
    assert not re.search(r"(.)\1{200}|Exceeds the limit", line), line
    return line


@pytest.mark.parametrize("name", READERS)
def test_each_reader_refuses_each_value_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    read, document = READERS[name]
    is_toml = name.endswith(".toml")
    for value in TOML if is_toml else REFUSED + ODD:
        for text in (value, "" if is_toml else f"[{value}]", document.replace("@", value)):
            refusal = _refusal(read, name, text.encode())
            assert refusal or value in ODD or not text, text[:60]
    whole = document.replace("@", "1")
    assert _refusal(read, name, whole.encode("utf-16"))
    # With a byte order mark it is read like without one, or refused for the mark.
    marked = _refusal(read, name, whole.encode("utf-8-sig"))
    assert is_toml or "byte order mark" in marked or marked == _refusal(read, name, whole.encode())


@pytest.mark.parametrize("value", [*REFUSED, *ODD, "9" * 10_000, "nan", "inf"])
def test_scores_in_csv_are_refused_in_one_line(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    head = "benchmark,player,score,source\n"
    twice = f"{head}b,{DIGITS},1,s\nb,{DIGITS},1,s"
    for text in (value, f"{head}b,p,{value},s", twice, f"{head}b,{DIGITS},0.5,s\nb,p,2,{DIGITS}\nb,p,2,s"):
        assert _refusal(lambda: parse_scores(Path("s").read_bytes(), "s.csv"), "s", text.encode())


@pytest.mark.parametrize("value", [*REFUSED, *ODD])
def test_of_what_servers_send_only_a_bound_is_an_error(value: str) -> None:
    with suppress(JsonBeyondBounds):
        read_completion(f'{{"choices": [{{"message": {{"content": {value}}}}}]}}')
    line = read_form(OutputLine, f'{{"custom_id": {value}}}')
    assert line is None or json.dumps(line.custom_id) == value
