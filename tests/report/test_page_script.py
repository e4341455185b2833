"""The script of a report's page: bundled once for a user, and each time where nothing can be kept."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import vl_convert

from perennial.tasks.report import page as page_script


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Return what loads the script as a new process would; a bundle is its source in brackets, in CR LF."""
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda own: f"[{own}</script>]\r\n")

    def load() -> str:
        page_script._bundle.cache_clear()
        return page_script.load_script()

    yield load
    page_script._bundle.cache_clear()


def test_a_bundle_is_kept_for_later_processes(
    load: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    script = load()
    (kept,) = (tmp_path / "perennial").iterdir()
    assert kept.name.startswith("report-")
    assert script.endswith("<\\/script>]\n")
    monkeypatch.delattr(vl_convert, "javascript_bundle")
    assert load() == script


def test_without_a_cache_it_is_bundled_each_time(
    load: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    script = load()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert load() == script
