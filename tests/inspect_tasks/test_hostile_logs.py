"""Files that claim to be logs of Inspect: whatever they hold, one line, little memory and little time."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from perennial.flows.inspect_tasks import import_logs
from perennial.flows.inspect_tasks.import_logs import LoggedEpisode, read_episodes, read_head
from perennial.schemas.errors import UnreadableInput
from tests.parsing_time import measure

RECORD = {"edition": "e", "canary": "c", "variant": ""}
HEADER = {"status": "success", "eval": {"model": "m", "metadata": {"perennial": RECORD}, "config": {}}}
COMPLETION = {"choices": [{"message": {"content": "attachment://long"}}], "seconds": 1.5, "cost_usd": 0.1}
SAMPLE = {
    "id": "i1",
    "epoch": 1,
    "store": {"perennial": {"params": {"temperature": 0.5}, "completions": [COMPLETION]}},
    "attachments": {"long": "a long reply"},
    "scores": {"grade": {"value": {"success": 1.0, "score": 1.0}, "metadata": {"status": "solved"}}},
}


def write_log(path: Path, header: str, sample: str, **more: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", header)
        file.writestr("samples/i1_epoch_1.json", sample)
        for name, text in more.items():
            file.writestr(f"samples/{name}.json", text)
    return path


def read(path: Path) -> list[LoggedEpisode]:
    return list(read_episodes(read_head(path)))


def refused(path: Path) -> str:
    with pytest.raises(UnreadableInput) as error:
        read(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 700
    return str(error.value)


def changed(*keys: Any, to: object) -> str:
    """Return the sample with another value at a place."""
    sample: Any = json.loads(json.dumps(SAMPLE))
    within = sample
    for key in keys[:-1]:
        within = within[key]
    within[keys[-1]] = to
    return json.dumps(sample)


def test_a_log_is_read_with_its_attachments(tmp_path: Path) -> None:
    (episode,) = read(write_log(tmp_path / "x.eval", json.dumps(HEADER), json.dumps(SAMPLE)))
    assert episode.record.completions[0]["choices"][0]["message"]["content"] == "a long reply"
    assert episode.grade == (1.0, 1.0, "solved")
    (tmp_path / "x.json").write_text(json.dumps({**HEADER, "samples": [SAMPLE]}))
    assert read(tmp_path / "x.json")[0].record == episode.record


OF_RECORD = ("store", "perennial")
FIRST = (*OF_RECORD, "completions", 0)


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ("[" * 40_000, "nested too deeply"),
        ('{"store":' * 5_000, "nested too deeply"),
        (changed(*FIRST, "cost_usd", to=float("nan")), "what no JSON can hold"),
        (changed(*FIRST, "seconds", to=float("-inf")), "what no JSON can hold"),
        (changed(*FIRST, "cost_usd", to="at").replace('"at"', "1e999"), "what no JSON can hold"),
        (changed(*OF_RECORD, "params", "temperature", to=float("nan")), "none that a task records"),
        (changed(*OF_RECORD, "params", "stop_seqs", to="at").replace('"at"', "[" * 60 + "]" * 60), ""),
        (changed(*FIRST, "choices", to="\ud800"), "what no JSON can hold"),
        (changed(*OF_RECORD, "completions", to=[{}] * 10_001), "more than 10,000 replies"),
        (changed(*OF_RECORD, "completions", to=["attachment://long"]), "not of the form"),
        (changed("epoch", to="one"), "not as Inspect writes it"),
        (changed("epoch", to=2**4_000), ""),
        (changed("id", to=[]), "not as Inspect writes it"),
        (changed("scores", to={"grade": 7}), "not as Inspect writes it"),
        (changed("store", to=[1]), "not as Inspect writes it"),
        (changed("error", to={"message": "x" * 10_000 + "\n"}), "ended early"),
        (changed("limit", to={"type": ["\n"]}), "ended early"),
        (changed("attachments", to={"long": 1}), "not as Inspect writes it"),
        ("7", "not as Inspect writes it"),
        ("\x00", "not JSON"),
    ],
)
def test_a_hostile_sample_is_one_line(tmp_path: Path, sample: str, words: str) -> None:
    path = write_log(tmp_path / "x.eval", json.dumps(HEADER), sample)
    if words:
        assert words in refused(path)
    else:
        read(path)


@pytest.mark.parametrize(
    "header",
    [
        "[]",
        "[" * 40_000,
        json.dumps(HEADER | {"status": 7}),
        json.dumps(HEADER | {"eval": []}),
        json.dumps(HEADER).replace("{}", '{"epochs": "two"}'),
        json.dumps(HEADER).replace("{}", '{"epochs": ' + "9" * 4_500 + "}"),
        json.dumps(HEADER).replace('"c"', "7"),
        json.dumps(HEADER).replace('"success"', '"' + "x\\n" * 5_000 + '"'),
    ],
)
def test_a_hostile_header_is_one_line(tmp_path: Path, header: str) -> None:
    refused(write_log(tmp_path / "x.eval", header, json.dumps(SAMPLE)))


def test_a_flipped_bit_anywhere_is_a_log_or_one_line(tmp_path: Path) -> None:
    path = write_log(tmp_path / "x.eval", json.dumps(HEADER), json.dumps(SAMPLE))
    whole = path.read_bytes()
    kinds = set()
    for at in range(0, len(whole) * 8, 37):
        altered = bytearray(whole)
        altered[at // 8] ^= 1 << at % 8
        path.write_bytes(altered)
        try:
            kinds.add(f"{len(read(path))} episode")
        except UnreadableInput as error:
            kinds.add("lines" if "\n" in str(error) else "line")
    assert kinds == {"0 episode", "1 episode", "line"}


def test_no_member_is_larger_than_it_may_be_whatever_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_logs, "_MAX_MEMBER", 100_000)
    path = tmp_path / "x.eval"
    bomb = json.dumps({**SAMPLE, "target": "x" * 110_000})
    write_log(path, json.dumps(HEADER), bomb)
    assert "larger than a log may be" in refused(path)
    content = path.read_bytes()
    size = len(bomb).to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (1_000).to_bytes(4, "little")))
    refused(path)
    (tmp_path / "x.json").write_bytes(b" " * 100_001)
    assert "larger than a log may be" in refused(tmp_path / "x.json")


def test_all_members_together_their_list_and_the_time_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = json.dumps(SAMPLE)
    path = write_log(tmp_path / "x.eval", json.dumps(HEADER), twice, again=twice)
    for bound, words in (
        ("_MAX_UNPACKED", "larger than a log may be"),
        ("_MAX_LIST", "more members than a log has"),
        ("_MAX_CPU_SECONDS", "s of CPU"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(import_logs, bound, -1)
            assert words in refused(path)
    many = changed(*OF_RECORD, "completions", to=[{"a": ["attachment://long"] * 300}] * 30)
    long = json.dumps({**json.loads(many), "attachments": {"long": "x" * 4_000}})
    assert "its attachments are longer" in refused(write_log(path, json.dumps(HEADER), long))


@pytest.mark.slow
def test_a_sample_as_large_as_it_may_be_is_read_in_seconds(tmp_path: Path) -> None:
    for part in ('"x",', "1,", "[],", '{"a":1},', "1.5,"):
        padding = part * (min(31_000_000, len(part) * 900_000) // len(part))
        sample = json.dumps(SAMPLE)[:-1] + ', "events": [' + padding + "0]}"
        path = write_log(tmp_path / "x.eval", json.dumps(HEADER), sample)
        assert measure(lambda _, path=path: read(path), "") < 20
