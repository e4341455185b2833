"""Where settings and data are looked for: the nearest folder that has some, else the user's."""

import os
from pathlib import Path

import pytest

from perennial.flows.console.root_option import data_root, root_flag, whole_path
from perennial.schemas.settings import load_settings
from perennial.schemas.settings.models import load_models
from perennial.schemas.variables import default_root, project_folder, settings_file
from perennial.warehouse.ledger.schema import ledger_file
from perennial.warehouse.store.store import Store


@pytest.fixture
def deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder three levels below an empty one, in which the work is."""
    folder = tmp_path / "a/b/c"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return folder


@pytest.mark.parametrize("mark", ["perennial.toml", "warehouse/data", "src/perennial"])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_nearest_folder_with_settings_data_or_the_program_wins(deep: Path, mark: str, level: int) -> None:
    for folder in [deep, *deep.parents][level : level + 2]:
        path = folder / mark
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("") if mark.endswith(".toml") else path.mkdir()
    nearest = [deep, *deep.parents][level]
    assert project_folder() == nearest
    assert Path(whole_path(data_root(None))) == nearest / "warehouse/data"
    assert load_settings({}).root == data_root(None).root == default_root()
    assert root_flag(data_root(None)) == ""
    assert ledger_file("s3://bucket/root").absolute().parent == nearest / "warehouse/data/ledgers"
    assert settings_file().absolute() == nearest / "perennial.toml"


def test_without_such_a_folder_the_data_are_the_users(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share = Path(os.environ["XDG_DATA_HOME"])
    assert data_root(None).root == load_settings({}).root == str(share / "perennial")
    # The specification of XDG ignores relative paths.
    monkeypatch.setenv("XDG_DATA_HOME", "here")
    monkeypatch.setenv("HOME", "/home/me")
    assert data_root(None).root == "/home/me/.local/share/perennial"


def test_paths_of_a_file_above_are_relative_to_it(deep: Path, tmp_path: Path) -> None:
    (tmp_path / "perennial.toml").write_text(
        'root = "runs"\nmodels_file = "m.toml"\n[kumo]\ndomains = ["my/own.json", "music_identification"]\n'
    )
    (tmp_path / "models.toml").write_text("[o3]\n")
    settings = load_settings({})
    assert (settings.root, settings.models_file) == (f"{tmp_path}/runs", f"{tmp_path}/m.toml")
    assert settings.domains == [f"{tmp_path}/my/own.json", "music_identification"]  # type: ignore[attr-defined]
    assert list(load_models()) == ["o3"]
    assert data_root(None).root == f"{tmp_path}/runs"
    assert root_flag(data_root("elsewhere", may_begin=True)) == " --root elsewhere"
    # A flag is relative to where it is typed.
    assert load_settings({"root": "mine"}).root == "mine"


def test_an_object_store_in_a_file_above_stays_what_it_is(deep: Path, tmp_path: Path) -> None:
    (tmp_path / "perennial.toml").write_text('root = "s3://bucket/data"\n')
    assert load_settings({}).root == "s3://bucket/data"
    assert whole_path(Store("s3://bucket/data")) == "s3://bucket/data"


def test_settings_of_another_user_above_are_passed_over(
    deep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "perennial.toml").write_text('base_url = "http://127.0.0.1:1/v1"\n')
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert project_folder() is None
    assert load_settings({}).base_url == ""


def test_a_folder_that_was_removed_has_no_project(deep: Path) -> None:
    deep.rmdir()
    assert project_folder() is None
    assert default_root() == os.environ["XDG_DATA_HOME"] + "/perennial"
