"""The folder of a website: parts come and go, builds are cut off anywhere, files of others stay."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perennial.flows.website import folder as folders
from perennial.flows.website.folder import RECORD, Changes, Content, SitePart, open_site_folder
from perennial.schemas.errors import Damaged, InvalidOption
from tests.website.folders import read_folder

NAMES = ("index.html", "a/b.html", "a/c.html", "d/e/f.txt", "g.txt")
Versions = dict[str, dict[str, int]]  # the content of each file, a number, by part


class CutOff(BaseException):
    """As if the process were killed."""


def make_part(name: str, files: Mapping[str, int]) -> SitePart:
    """Return a part of these files, one of which is moved from a draft."""

    def make(drafts: Path) -> Mapping[str, Content]:
        made: dict[str, Content] = {}
        for place, (file, number) in enumerate(files.items()):
            made[file] = f"{number}".encode()
            if place == 0:
                draft = drafts / "moved"
                draft.write_bytes(f"{number}".encode())
                made[file] = draft
        return made

    return SitePart(name, repr(sorted(files.items())), make)


def build(folder: Path, versions: Versions) -> Changes:
    """Make the folder hold these parts."""
    with open_site_folder(folder) as site:
        site.update([make_part(name, files) for name, files in versions.items()], lambda _name: None)
        return site.changes


parts = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 2), min_size=1)


@st.composite
def websites(draw: st.DrawFn) -> Versions:
    """Return parts, each file in one of them."""
    whole = draw(
        st.dictionaries(st.sampled_from(NAMES), st.tuples(st.sampled_from("xyz"), st.integers(0, 2)))
    )
    found: Versions = {}
    for file, (part, number) in whole.items():
        found.setdefault(part, {})[file] = number
    return found


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(websites(), st.integers(0, 12)), max_size=4), websites())
@pytest.mark.slow
def test_after_any_interruption_the_same_bytes_as_anew(
    history: list[tuple[Versions, int]], last: Versions
) -> None:
    with TemporaryDirectory() as place:
        kept, fresh = Path(place, "kept"), Path(place, "fresh")
        for versions, steps in history:
            with pytest.MonkeyPatch.context() as patch:
                cut_off_after(patch, steps)
                with suppress(CutOff):
                    build(kept, versions)
            if (kept / RECORD).exists():
                (kept / "CNAME").write_text("of others")
                (kept / "a").mkdir(exist_ok=True)
                (kept / "a/notes").write_text("of others")
        build(kept, last)
        build(fresh, last)
        found = read_folder(kept)
        assert {found.pop(name, b"of others") for name in ("CNAME", "a/notes")} == {b"of others"}
        assert found == read_folder(fresh)
        assert not [name for name in os.listdir(kept) if name.startswith(".")]
        assert build(kept, last).written == 0


def cut_off_after(patch: pytest.MonkeyPatch, steps: int) -> None:
    """Let so many files be replaced or removed, and then none."""
    left = [steps]

    def counted(of: Callable[..., None]) -> Callable[..., None]:
        def run(*given: object) -> None:
            if left[0] == 0:
                raise CutOff
            left[0] -= 1
            of(*given)

        return run

    patch.setattr(folders.os, "replace", counted(os.replace))
    patch.setattr(Path, "unlink", counted(Path.unlink))
    # What a killed process leaves behind stays.
    patch.setattr(folders.SiteFolder, "close", lambda _self: None)


def test_a_folder_of_others_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InvalidOption, match=r"thesis\.tex.* is not a website of perennial"):
        build(tmp_path, {"x": {"index.html": 1}})
    assert read_folder(tmp_path) == {"thesis.tex": b"mine"}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InvalidOption, match="is not a folder"):
        build(tmp_path / "file", {})


def test_hidden_files_such_as_those_of_git_may_be_there_before(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref")
    build(tmp_path, {"x": {"index.html": 1}})
    build(tmp_path, {})
    assert set(read_folder(tmp_path)) == {".git/HEAD", RECORD}


def test_what_others_put_where_a_page_belongs_is_not_overwritten(tmp_path: Path) -> None:
    build(tmp_path, {"x": {"index.html": 1}})
    (tmp_path / "g.txt").write_text("mine")
    with pytest.raises(InvalidOption, match=r"g\.txt is not a file of this website"):
        build(tmp_path, {"x": {"index.html": 1}, "y": {"g.txt": 2}})
    assert (tmp_path / "g.txt").read_text() == "mine"
    build(tmp_path, {})
    assert (tmp_path / "g.txt").read_text() == "mine"


def test_a_changed_or_lost_file_is_made_again(tmp_path: Path) -> None:
    versions = {"x": {"index.html": 1, "a/b.html": 2}, "y": {"g.txt": 3}}
    build(tmp_path, versions)
    whole = read_folder(tmp_path)
    (tmp_path / "index.html").write_text("changed")
    (tmp_path / "g.txt").unlink()
    assert build(tmp_path, versions) == Changes(written=2, kept=1)
    assert read_folder(tmp_path) == whole


def test_what_is_unchanged_is_not_written(tmp_path: Path) -> None:
    build(tmp_path, {"x": {"index.html": 1, "a/b.html": 2}})
    before = (tmp_path / "a/b.html").stat()
    assert build(tmp_path, {"x": {"index.html": 7, "a/b.html": 2}}) == Changes(written=1, kept=1)
    after = (tmp_path / "a/b.html").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    build(inside, {"x": {"index.html": 1}})
    (inside / "a").symlink_to(outside)
    with pytest.raises(InvalidOption, match="leads out of"):
        build(inside, {"x": {"index.html": 1, "a/b.html": 1}})
    assert not list(outside.iterdir())
    (inside / "d").symlink_to("d")  # to itself
    with pytest.raises(InvalidOption, match="leads out of"):
        build(inside, {"x": {"index.html": 1, "d/e/f.txt": 1}})


def test_a_page_that_became_a_pipe_is_written_again(tmp_path: Path) -> None:
    build(tmp_path, {"x": {"index.html": 1}})
    (tmp_path / "index.html").unlink()
    os.mkfifo(tmp_path / "index.html")
    assert build(tmp_path, {"x": {"index.html": 1}}) == Changes(written=1)
    assert (tmp_path / "index.html").read_bytes() == b"1"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink(os.devnull, path)])
def test_a_record_that_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / RECORD)
    with pytest.raises(InvalidOption, match=rf"{RECORD} is no file: move it away"):
        build(tmp_path, {})


@pytest.mark.parametrize(
    "record",
    [
        "{",
        "[]",
        '{"format": 2, "pending": [], "parts": {}}',
        '{"format": 1, "pending": ["../victim"], "parts": {}}',
        '{"format": 1, "pending": ["/etc/passwd"], "parts": {}}',
        '{"format": 1, "pending": [], "parts": {"x": {"key": "", "files": {"a/../../victim": ""}}}}',
        '{"format": 1, "pending": [], "parts": {"x": {"key": "", "files": {"": ""}}}}',
        '{"format": 1, "pending": [], "parts": {"x": 3}}',
        '{"format": 1, "pending": [3], "parts": {}}',
        '{"format": 1, "owners": [], "pending": ["victim\\u0000"], "parts": {}}',
        '{"format": 1, "owners": [], "pending": ["victim\\udc80"], "parts": {}}',
        '{"format": 1, "owners": [{}], "pending": [], "parts": {}}',
        '{"format": 1e400, "owners": [], "pending": [], "parts": {}}',
        "[" * 40_000,
        '{"a":' * 40_000 + "1" + "}" * 40_000,
    ],
)
def test_a_record_that_is_not_ours_deletes_nothing(tmp_path: Path, record: str) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / RECORD).write_text(record)
    with pytest.raises(Damaged, match="is not the list of files"):
        build(tmp_path / "site", {})
    assert (tmp_path / "victim").read_text() == "mine"


def test_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    with open_site_folder(tmp_path), pytest.raises(InvalidOption, match="another `perennial site` writes"):
        build(tmp_path, {})
