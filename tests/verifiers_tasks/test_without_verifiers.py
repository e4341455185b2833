"""Without the extra `verifiers`, an environment names it in one line."""

import importlib
import sys

import pytest

from tests.conftest import REPOSITORY


def test_an_absent_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(REPOSITORY / "flows/verifiers_tasks/packages"))
    for name in [
        name for name in sys.modules if name.startswith(("perennial.flows.verifiers_tasks.", "perennial_"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("verifiers", "verifiers.v1"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install -e '\.\[verifiers\]'") as caught:
        importlib.import_module("perennial_kumo")
    assert "\n" not in str(caught.value)
