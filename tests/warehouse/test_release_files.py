"""Configurations, instances and books of a release: the good ones are read, the others named and counted."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.errors import UnreadableInput
from schemas.kumo.things import Instance, SeedConfig, Setting
from tasks.kumo.encoding import encode_config
from tasks.kumo.release.configurations import ReadConfig, config_from_json, config_from_module
from tasks.kumo.release.instances import parse_instance
from tests.warehouse.release_tree import CLONE, EASY, lay_out_clone, write_files
from warehouse.kumo.release.contents import ReleasedBook, read_books, read_configs, read_instances
from warehouse.kumo.release.folders import read_lines
from warehouse.kumo.release.layout import find_release
from warehouse.kumo.release.things import InstanceFile, Release, ReleaseFile, Skipped

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 139731311\n"


def configs_of(release: Release) -> dict[str, ReadConfig]:
    read = list(read_configs(release.configs, config_from_json, config_from_module))
    return dict(entry for entry in read if not isinstance(entry, Skipped))


def line_parser(config: SeedConfig) -> Callable[[str, int], Instance]:
    encoded = encode_config(config)
    return lambda line, index: parse_instance(line, encoded, index)


def everything(release: Release) -> tuple[dict[str, ReadConfig], list[object], list[object]]:
    configs = configs_of(release)
    instances: list[object] = []
    for file in release.instances:
        instances += read_instances(file, line_parser(configs[file.domain].config))
    return configs, instances, list(read_books(release.books))


def fake_instance(line: str, index: int) -> Instance:
    record = json.loads(line) if line.startswith("{") else None
    if record is None:
        raise UnreadableInput("no object")
    truths = tuple(f"t{i}" for i in range(record.get("truths", 4)))
    actions = tuple(f"a{i}" for i in range(6))
    return Instance(truths, actions, (0,) * 6, ("x",) * 6, ("t0",), record["seed"], index)


def instance_file(tmp_path: Path, content: bytes) -> InstanceFile:
    path = tmp_path / "some.jsonl"
    path.write_bytes(content)
    return InstanceFile("TreeEnv", Setting(4, 6), ReleaseFile("env/TreeEnv/some.jsonl", path))


def test_the_release_is_read_alike_from_both_forms(release: Path, tmp_path: Path) -> None:
    partial = everything(find_release(release))
    clone = everything(find_release(lay_out_clone(release, tmp_path)))
    assert clone == partial
    configs, instances, books = partial
    assert (len(configs), len(instances), len(books)) == (67, 3500, 200)
    assert all(isinstance(instance, Instance) for instance in instances)
    assert all(isinstance(book, ReleasedBook) for book in books)


def test_released_seeds_are_given_and_index_counts_lines(release: Path) -> None:
    found = find_release(release).only(["MedicalEnv"])
    parse_line = line_parser(configs_of(found)["MedicalEnv"].config)
    for file in found.instances:
        instances = [entry for entry in read_instances(file, parse_line) if isinstance(entry, Instance)]
        lines = file.file.path.read_text(encoding="utf-8").splitlines()
        assert [instance.index for instance in instances] == list(range(50))
        assert [instance.seed for instance in instances] == [json.loads(line)["seed"] for line in lines]


def test_a_bad_line_is_skipped_and_the_others_stay(tmp_path: Path) -> None:
    content = b'{"seed": 5}\nwhat\n\n{"seed": 7}\n{"seed": 5}\n{"seed": 8, "truths": 3}\n\xff\n{"seed": 9}'
    read = list(read_instances(instance_file(tmp_path, content), fake_instance))
    assert [(i.seed, i.index) for i in read if isinstance(i, Instance)] == [(5, 0), (7, 3), (9, 7)]
    assert [(s.line, s.reason) for s in read if isinstance(s, Skipped)] == [
        (2, "no object"),
        (5, "seed 5 again, as in line 1"),
        (6, "3 truths, 6 actions and 1 valid, but the file's name says 4 truths, 6 actions and 1 valid"),
        (7, "not UTF-8 text (byte 0xff)"),
    ]
    assert {s.file for s in read if isinstance(s, Skipped)} == {"env/TreeEnv/some.jsonl"}


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"", None, "empty"),
        (b"\n \n", None, "empty"),
        (POINTER.encode(), None, "a Git LFS pointer, its content was not fetched: run `git lfs pull`"),
    ],
)
def test_a_file_without_instances_is_skipped_once(
    tmp_path: Path, content: bytes, line: int | None, reason: str
) -> None:
    (skipped,) = read_instances(instance_file(tmp_path, content), fake_instance)
    assert isinstance(skipped, Skipped)
    assert skipped.line == line
    assert skipped.reason.startswith(reason)


def test_a_released_file_that_was_cut_off_loses_its_last_line_alone(release: Path, tmp_path: Path) -> None:
    found = find_release(release).only(["MusicEnv"])
    parse_line = line_parser(configs_of(found)["MusicEnv"].config)
    content = found.instances[0].file.path.read_bytes()[:-100]
    file = InstanceFile("MusicEnv", Setting(4, 6), instance_file(tmp_path, content).file)
    *good, last = read_instances(file, parse_line)
    assert len(good) == 49
    assert all(isinstance(instance, Instance) for instance in good)
    assert isinstance(last, Skipped)
    assert last.line == 50
    assert "not JSON" in last.reason


def test_a_line_that_is_too_long_is_passed_over_without_being_held(tmp_path: Path) -> None:
    file = instance_file(tmp_path, b"a\n" + b"x" * 5_000_000 + b"\n12345\n123456\nlast").file
    assert list(read_lines(file, 5)) == [
        (1, "a\n"),
        Skipped(file.name, 2, "a line of over 5 bytes"),
        (3, "12345\n"),
        Skipped(file.name, 4, "a line of over 5 bytes"),
        (5, "last"),
    ]


def test_what_cannot_be_opened_is_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    reasons = [list(read_lines(ReleaseFile(name, tmp_path / name), 99)) for name in ("pipe", "link")]
    assert reasons == [
        [Skipped("pipe", None, "cannot be read: not a regular file")],
        [Skipped("link", None, "cannot be read: No such file or directory")],
    ]


def test_books_are_given_exactly_as_stored(tmp_path: Path) -> None:
    folder = f"env/TreeEnv/knowledge_book/{EASY}"
    write_files(tmp_path, {**CLONE, f"{folder}/seed=1.txt": " \n", f"{folder}/seed=2.txt": POINTER})
    (tmp_path / folder / "seed=3.txt").write_bytes(b"one\r\ntwo \xe2\x80\x93 three\n")
    (tmp_path / folder / "seed=4.txt").write_bytes(b"one\ntwo\xff")
    (tmp_path / folder / "seed=5.txt").write_bytes(b"x" * 1_000_001)
    read = list(read_books(find_release(tmp_path).books))
    books = [entry for entry in read if isinstance(entry, ReleasedBook)]
    assert [(book.domain, book.setting.name, book.seed, book.text) for book in books] == [
        ("TreeEnv", "easy", 3, "one\r\ntwo – three\n"),
        ("TreeEnv", "easy", 9, "Nine."),
        ("TreeEnv", "easy", 10, "Ten."),
    ]
    assert [(s.file[-10:], s.line, s.reason[:20]) for s in read if isinstance(s, Skipped)] == [
        ("seed=1.txt", None, "empty, expected the "),
        ("seed=2.txt", None, "a Git LFS pointer, i"),
        ("seed=4.txt", 2, "not UTF-8 text (byte"),
        ("seed=5.txt", None, "larger than 1,000,00"),
    ]


@pytest.mark.parametrize(
    ("spoil", "line", "reason"),
    [
        (lambda text: f"import os\n{text}", 1, "a statement of kind Import"),
        (lambda text: text.replace("Outcomes", "Results"), None, "no Outcomes in it"),
        (lambda text: text[:-9], 3, "not Python"),
        (lambda text: "", None, "no Truths or Diseases"),
    ],
)
def test_a_module_that_is_refused_is_named_with_its_line(
    tmp_path: Path, spoil: Callable[[str], str], line: int | None, reason: str
) -> None:
    name = "env/data/oak_data.py"
    found = find_release(write_files(tmp_path, {**CLONE, name: spoil(CLONE[name])}))
    read = list(read_configs(found.configs, config_from_json, config_from_module))
    (skipped,) = [entry for entry in read if isinstance(entry, Skipped)]
    assert (skipped.file, skipped.line) == (name, line)
    assert skipped.reason.startswith(reason)
    assert [entry[0] for entry in read if not isinstance(entry, Skipped)] == ["InEnv", "OutEnv", "StarEnv"]
