"""Fixtures for all tests."""

import gc
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from tests.flows.prefect_harness import Harness

# A shared machine makes any deadline fail now and then; what must be fast has a benchmark.
settings.register_profile("all", deadline=None, max_examples=100)
settings.register_profile("quick", deadline=None, max_examples=25)

# Tests start hundreds of processes: without compiled modules each would compile all that it imports,
# and this one would rewrite the assertions of all test modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# All cores are at work: threads that wait for small matrices would only take time from other tests.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell lets what it starts in the background ignore Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent
MAIN = sys.modules["__main__"]
NUMBERS = count()


# What takes seconds to make, and files that name it; tests of a folder that share their own.
_SHARED = {name: name for name in ("by_prefect", "made_edition", "s3_server", "published: Published")}
_SHARING_FOLDERS = ("tests/study", "tests/website")
# In the quick tier one process warms up for commands and loads Prefect, and one loads Great Expectations.
_COMMANDS = dict.fromkeys(("harness", "Published", "Walk", "flows.serve", "prefect.settings"), "commands")
_SHARED_IF_QUICK = {**_COMMANDS, "warehouse.audit": "audits", "AuditFailed": "audits", **_SHARED}


def pytest_configure(config: pytest.Config) -> None:
    """The quick tier tries a fourth of the examples."""
    settings.load_profile("quick" if config.option.markexpr == "not slow" else "all")


def _is_quick() -> bool:
    return settings.default is settings.get_profile("quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shared data and slow tests come first: at the end, files of short ones keep all processes at work."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: (_unit(item.nodeid.split("::", 1)[0]).endswith(".py"), item.path not in slow))


@cache
def _unit(file: str) -> str:
    """Name the data that tests of this file share with other files; else the file itself."""
    folder = next((name for name in _SHARING_FOLDERS if file.startswith(f"{name}/")), None)
    text, shared = (REPOSITORY / file).read_text("utf-8"), _SHARED_IF_QUICK if _is_quick() else _SHARED
    return folder or next((unit for name, unit in shared.items() if name in text), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Files that share what takes seconds to make go to one process, which makes it once."""

    class BySharedData(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _unit(nodeid.split("::", 1)[0])

    return BySharedData(config, log) if config.getoption("dist") == "loadfile" else None


# Nearly all that is imported and collected lives to the end: the garbage collector would search it in vain.
gc.disable()


def pytest_collection_finish() -> None:
    """Keep what lives to the end out of the garbage collector."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


_ALL_SLOW = re.compile(r"^pytestmark = (\[[^]]*)?pytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick tier imports no module of slow tests alone, but where somebody names it."""
    is_named = any(collection_path.name in argument for argument in config.args)
    if is_named or collection_path.suffix != ".py" or not _is_quick():
        return None
    return bool(_ALL_SLOW.search(collection_path.read_text("utf-8"))) or None


@pytest.fixture(autouse=True)
def same_main_module() -> Iterator[None]:
    """Streamlit's tests put their script into the place of `__main__`, which a spawned process would run."""
    yield
    sys.modules["__main__"] = MAIN


@pytest.fixture(autouse=True, scope="module")
def same_environment() -> Iterator[None]:
    """Commands that run in this process leave variables for the processes that they start."""

    def ours() -> dict[str, str]:
        return {name: text for name, text in os.environ.items() if name.startswith(("PERENNIAL_", "PYTHON"))}

    before = ours()
    yield
    for name in ours().keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def users_data_are_nowhere(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A test's own data folder of the user, for commands without a root; this user's stays untouched."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.getbasetemp() / f"share-{next(NUMBERS)}")


@pytest.fixture(scope="session")
def release() -> Path:
    """The KUMO authors' released data, which a user's clone does not have."""
    shared = Path(os.environ.get("PERENNIAL_SHARED", REPOSITORY.parent / "shared"))
    folder = shared / "kumo_release"
    if not folder.is_dir():
        pytest.skip("the KUMO authors' released data is not beside this clone (set PERENNIAL_SHARED)")
    return folder


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator["Harness"]:
    """Commands of `perennial` that run their flows without Prefect: the same work, half of its CPU time."""
    from tests.flows.prefect_harness import Harness, plain_environment
    from tests.flows.warm_start import WarmStart

    if sys.platform != "linux":
        yield request.getfixturevalue("by_prefect")
        return
    home = tmp_path_factory.mktemp("plain")
    environment = plain_environment(home)
    warm = WarmStart(environment, home, _kernels_lock(tmp_path_factory), plain=True)
    yield Harness(environment, warm)
    warm.close()


@pytest.fixture
def program(harness: "Harness") -> Iterator[Sequence[str]]:
    """`perennial` for shell scripts, without Prefect, as forks of what has imported it."""
    from tests.flows.plain_audit import PLAIN_PROGRAM
    from tests.flows.warm_start import program_for_shells

    if harness.warm is None:
        yield PLAIN_PROGRAM
        return
    with program_for_shells(harness.warm) as warm:
        yield warm


@pytest.fixture(scope="session")
def by_prefect(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Harness"]:
    """Commands of `perennial` as users run them, that share one Prefect server."""
    from tests.flows.prefect_harness import Harness, running_server
    from tests.flows.warm_start import WarmStart

    home = tmp_path_factory.mktemp("prefect")
    with running_server(home) as environment:
        lock = _kernels_lock(tmp_path_factory)
        warm = WarmStart(environment, home, lock) if sys.platform == "linux" else None
        yield Harness(environment, warm)
        if warm is not None:
            warm.close()


def _kernels_lock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Name the file that all processes of this run of pytest lock while they compile."""
    return tmp_path_factory.getbasetemp().parent / "kernels.lock"
