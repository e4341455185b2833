"""Links in a copy of the authors' repository are followed within it alone; no pipe or device is opened."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.errors import UnreadableInput
from tests.warehouse.release_tree import CLONE, EASY, HARD, write_files
from warehouse.kumo.release.contents import ReleasedBook, read_books
from warehouse.kumo.release.layout import find_release
from warehouse.kumo.release.things import Release

BOOKS = f"env/TreeEnv/knowledge_book/{EASY}"
BOOK = f"{BOOKS}/seed=1.txt"
OUTSIDE = "a link to something outside of the release's folder; put a copy in its place"
SPECIAL = "a pipe, a socket or a device, expected a file or a folder"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone, and beside it a secret file and a folder with one."""
    write_files(tmp_path, {"secret.txt": "A secret.", f"elsewhere/TreeEnv/{EASY}/eval_times=5.jsonl": "{}\n"})
    return write_files(tmp_path / "clone", CLONE)


def books(release: Release) -> dict[int, str]:
    return {read.seed: read.text for read in read_books(release.books) if isinstance(read, ReleasedBook)}


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


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("{tmp}/secret.txt", OUTSIDE),
        ("../../../../../secret.txt", OUTSIDE),
        ("../../../../../clone/../secret.txt", OUTSIDE),
        ("/proc/self/environ", OUTSIDE),
        ("/dev/zero", OUTSIDE),
        ("{tmp}", OUTSIDE),
        ("chained", OUTSIDE),
        ("absent.txt", "a link to nothing"),
        ("seed=1.txt", "a link that leads back to itself"),
        ("round", "a link that leads back to itself"),
        ("seed=9.txt/inside", "a link that cannot be followed: Not a directory"),
        ("../../../../.git/config", "a link to something hidden, which is no part of the release"),
        (".", "a link to a folder that it lies in"),
        ("pipe", SPECIAL),
    ],
)
def test_a_link_out_of_the_clone_or_to_nothing_is_skipped_and_named(
    clone: Path, target: str, reason: str
) -> None:
    plain = find_release(clone)
    folder = clone / BOOKS
    (folder / ".chained").symlink_to(clone.parent / "secret.txt")
    (folder / "chained").symlink_to(".chained")
    (folder / "round").symlink_to("seed=1.txt")
    os.mkfifo(folder / "pipe")
    (clone / BOOK).symlink_to(target.format(tmp=clone.parent))
    found = find_release(clone)
    assert reasons(found)[BOOK] == reason
    assert books(found) == books(plain) == {9: "Nine.", 10: "Ten."}


@pytest.mark.parametrize("make", [os.mkfifo, bind], ids=["pipe", "socket"])
@pytest.mark.parametrize("name", [BOOK, f"env/TreeEnv/{EASY}.jsonl", "env/data/oak_data.py", "results/m-9"])
def test_what_is_no_file_is_named_and_never_opened(
    clone: Path, make: Callable[[Path], None], name: str
) -> None:
    (clone / name).unlink(missing_ok=True)
    make(clone / name)
    assert reasons(find_release(clone))[name] == SPECIAL


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("results/m-9", "elsewhere"),
        ("results/m-9/VanillaAgent", "elsewhere"),
        (f"results/m-9/VanillaAgent/TreeEnv/{EASY}", f"elsewhere/TreeEnv/{EASY}"),
        ("env/OutEnv", "elsewhere/TreeEnv"),
        ("env/data/out_data.py", "secret.txt"),
        ("env/out_env.py", "secret.txt"),
        ("trajectories.parquet", "secret.txt"),
    ],
)
def test_folders_modules_and_the_table_of_runs_lie_in_the_clone_too(
    clone: Path, name: str, target: str
) -> None:
    (clone / name).parent.mkdir(parents=True, exist_ok=True)
    (clone / name).unlink(missing_ok=True)
    (clone / name).symlink_to(clone.parent / target)
    found = find_release(clone)
    assert reasons(found)[name] == OUTSIDE
    assert "m-9" not in found.players
    assert found.run_table is None
    assert {file.domain for file in found.instances} == {"InEnv", "TreeEnv"}


def test_links_within_the_clone_are_followed(clone: Path) -> None:
    (clone / f"{BOOKS}/seed=1.txt").symlink_to("seed=9.txt")
    (clone / f"{BOOKS}/seed=2.txt").symlink_to("seed=1.txt")
    (clone / f"{BOOKS}/seed=3.txt").symlink_to(clone / BOOKS / "seed=10.txt")
    (clone / f"env/TreeEnv/knowledge_book/{HARD}").symlink_to(EASY)
    (clone / "results/m-9").symlink_to("m-1")
    (clone / "results/m-1/VanillaAgent/OutEnv").symlink_to("../../m-2/VanillaAgent/TreeEnv")
    found = find_release(clone)
    assert reasons(found) == {}
    easy = {book.seed: book for book in found.books if book.setting.name == "easy"}
    assert {seed: book.file.path.read_text() for seed, book in easy.items()} == {
        1: "Nine.",
        2: "Nine.",
        3: "Ten.",
        9: "Nine.",
        10: "Ten.",
    }
    assert sum(book.setting.name == "hard" for book in found.books) == 5
    assert found.players == ("m-1", "m-2", "m-9", "sft/m-1-500")
    assert {(run.player, run.domain) for run in found.trajectories} >= {("m-1", "OutEnv"), ("m-9", "TreeEnv")}


def test_the_folder_that_the_user_names_may_be_a_link(clone: Path) -> None:
    link = clone.parent / "link"
    link.symlink_to(clone)
    (clone / BOOK).symlink_to("seed=9.txt")
    found = find_release(link)
    assert (books(found), reasons(found)) == ({1: "Nine.", 9: "Nine.", 10: "Ten."}, {})


def test_a_clone_whose_parts_lie_elsewhere_says_so(tmp_path: Path) -> None:
    clone = write_files(tmp_path / "clone", CLONE)
    (clone / "env").rename(tmp_path / "env")
    (clone / "env").symlink_to(tmp_path / "env")
    with pytest.raises(UnreadableInput, match=r"name the folder.*skipped env: a link to something outside"):
        find_release(clone)


def test_books_have_seeds_of_either_sign_in_one_spelling(clone: Path) -> None:
    write_files(clone, {f"{BOOKS}/seed=-7.txt": "Minus.", f"{BOOKS}/seed=0.txt": "None."})
    write_files(clone, {f"{BOOKS}/seed=007.txt": "Which?", f"{BOOKS}/seed=-0.txt": "Which?"})
    found = find_release(clone)
    assert books(found) == {-7: "Minus.", 0: "None.", 9: "Nine.", 10: "Ten."}
    assert {name.rpartition("/")[2] for name in reasons(found)} == {"seed=007.txt", "seed=-0.txt"}
