"""The text of a release's files is read as stored; what cannot be read is named, and never opened."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from perennial.warehouse.kumo.release.layout import (
    Release,
    ReleaseFile,
    Skipped,
    find_release,
    read_lines,
    read_text,
)
from tests.warehouse.release_tree import CLONE, EASY, write_files

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 139731311\n"
POINTED = "a Git LFS pointer, its content was not fetched: run `git lfs pull` in the clone"
BOOKS = f"env/TreeEnv/knowledge_book/{EASY}"


def file_of(tmp_path: Path, content: bytes) -> ReleaseFile:
    (tmp_path / "some.jsonl").write_bytes(content)
    return ReleaseFile("some.jsonl", tmp_path / "some.jsonl")


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (
            b"a\n\n \nb\r\n\xff\nlast",
            [(1, "a\n"), (4, "b\r\n"), (5, "not UTF-8 text (byte 0xff)"), (6, "last")],
        ),
        (b"", [(None, "empty, expected a JSON object per line")]),
        (b"\n \n", [(None, "empty, expected a JSON object per line")]),
        (POINTER, [(None, POINTED)]),
        (
            b"a\n" + b"x" * 5_000_000 + b"\nlast",
            [(1, "a\n"), (2, "a line of over 50 bytes: the rest is not read")],
        ),
    ],
    ids=["lines", "empty", "blank", "pointer", "too long"],
)
def test_lines_are_read_one_by_one(
    tmp_path: Path, content: bytes, read: list[tuple[int | None, str]]
) -> None:
    found = read_lines(file_of(tmp_path, content), 50)
    assert [(one.line, one.reason) if isinstance(one, Skipped) else one for one in found] == read


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (b"one\r\ntwo \xe2\x80\x93 three\n", "one\r\ntwo – three\n"),
        (b"", ""),
        (POINTER, Skipped("some.jsonl", None, POINTED)),
        (b"one\ntwo\xff", Skipped("some.jsonl", 2, "not UTF-8 text (byte 0xff)")),
        (b"x" * 201, Skipped("some.jsonl", None, "larger than 200 bytes, the most that such a file has")),
    ],
)
def test_a_text_is_given_exactly_as_stored(tmp_path: Path, content: bytes, read: str | Skipped) -> None:
    assert read_text(file_of(tmp_path, content), 200) == read


def test_what_cannot_be_opened_is_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("pipe", "not a regular file"), ("absent", "No such file or directory")):
        file = ReleaseFile(name, tmp_path / name)
        skipped = Skipped(name, None, f"cannot be read: {reason}")
        assert list(read_lines(file, 99)) == [skipped]
        assert read_text(file, 99) == skipped


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone, and beside it a secret file and a folder with one."""
    write_files(tmp_path, {"secret.txt": "A secret.", f"elsewhere/TreeEnv/{EASY}/eval_times=5.jsonl": "{}\n"})
    return write_files(tmp_path / "clone", CLONE)


def reasons(release: Release) -> dict[str, str]:
    return {skipped.file: skipped.reason for skipped in release.skipped if "masked" not in skipped.file}


def bind(path: Path) -> None:
    """Make a socket at the path, whose length a socket's address limits."""
    here = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


BOOK = f"{BOOKS}/seed=1.txt"


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (BOOK, os.mkfifo),
        (BOOK, bind),
        (BOOK, lambda path: path.symlink_to("/proc/self/environ")),
        (BOOK, lambda path: path.symlink_to(path.name)),
        (BOOK, lambda path: path.symlink_to("absent")),
        (BOOK, lambda path: path.symlink_to("seed=9.txt")),
        (f"env/TreeEnv/{EASY}.jsonl", os.mkfifo),
        ("env/data/oak_data.py", os.mkfifo),
        ("results/m-9", os.mkfifo),
    ],
)
def test_what_is_no_file_is_named_and_never_opened(
    clone: Path, make: Callable[[Path], None], name: str
) -> None:
    (clone / name).unlink(missing_ok=True)
    make(clone / name)
    found = find_release(clone)
    assert reasons(found).keys() - {"env/tree_env.py"} == {name}  # whose module may be the one
    assert reasons(found)[name].startswith("a link, a pipe or a device, none of which is followed or opened")
    assert name not in {book.file.name for book in found.books}


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("results/m-9", "elsewhere"),
        ("results/m-9/VanillaAgent", "elsewhere"),
        (f"results/m-9/VanillaAgent/TreeEnv/{EASY}", f"elsewhere/TreeEnv/{EASY}"),
        ("env/OutEnv", "elsewhere/TreeEnv"),
        ("env/out_env.py", "secret.txt"),
        ("trajectories.parquet", "secret.txt"),
    ],
)
def test_nothing_from_outside_of_the_clone_is_part_of_it(clone: Path, name: str, target: str) -> None:
    plain = find_release(clone)
    (clone / name).parent.mkdir(parents=True, exist_ok=True)
    (clone / name).symlink_to(clone.parent / target)
    found = find_release(clone)
    assert list(reasons(found)) == [name]
    assert (found.players, found.run_table) == (plain.players, None)
    assert (found.instances, found.books) == (plain.instances, plain.books)


def test_the_folder_that_the_user_names_may_be_a_link(clone: Path) -> None:
    link = clone.parent / "link"
    link.symlink_to(clone)
    assert find_release(link).domains == find_release(clone).domains
