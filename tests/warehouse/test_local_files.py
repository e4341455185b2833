"""What a local root answers by itself is what fsspec answers."""

import os
from pathlib import Path

import pytest
from fsspec.core import url_to_fs

from perennial.warehouse.store.file_system import LocalFiles, file_system, is_local


@pytest.mark.parametrize(
    "root",
    ["a", "./a", "a/", "a//b", "../x", ".", "./", "/", "/a/b/", "a b", "file://a", "~/a", "local:///a"],
)
def test_a_root_is_where_fsspec_says(root: str) -> None:
    filesystem, path = file_system(root)
    assert path == url_to_fs(root)[1]
    assert is_local(filesystem)


def test_a_plain_folder_needs_no_fsspec(tmp_path: Path) -> None:
    assert isinstance(file_system(str(tmp_path))[0], LocalFiles)


def test_answers_are_those_of_fsspec(tmp_path: Path) -> None:
    (tmp_path / "folder/below").mkdir(parents=True)
    (tmp_path / "folder/file").write_bytes(b"content")
    os.symlink("file", tmp_path / "folder/link")
    os.symlink("nowhere", tmp_path / "folder/broken")
    ours, theirs = file_system(str(tmp_path))[0], url_to_fs(str(tmp_path))[0]
    for name in (
        "folder",
        "folder/file",
        "folder/link",
        "folder/broken",
        "folder/file/below",
        "none",
        "a\0b",
    ):
        path = f"{tmp_path}/{name}"
        assert ours.exists(path) == theirs.exists(path)
        answers = []
        for one in (ours, theirs):
            try:
                answers.append(sorted(one.ls(path, detail=False, refresh=True)))
            except (OSError, ValueError) as error:
                answers.append(type(error).__name__)
        assert answers[0] == answers[1]
    assert ours.cat_file(f"{tmp_path}/folder/link") == b"content"  # what it does not answer itself
