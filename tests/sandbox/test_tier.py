"""Code that a model or a file wrote is refused without protection, unless the operator accepts that."""

import pytest

from perennial.schemas.a2rbench.settings import A2RBenchSettings
from perennial.tasks.sandbox import tier
from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Jail


def _stand_on(monkeypatch: pytest.MonkeyPatch, name: tier.Tier) -> tier.Protection:
    found = tier.Protection(name, Jail(use_seccomp=name != "none"), ())
    monkeypatch.setattr(tier, "find_protection", lambda: found)
    return found


def test_no_protection_is_refused_until_it_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _stand_on(monkeypatch, "none")
    with pytest.raises(SandboxRefusal, match="--accept-weak-sandbox") as refused:
        tier.require_protection(accept_unprotected=A2RBenchSettings().accept_weak_sandbox)
    assert refused.value.reason == "weak_sandbox"
    assert "\n" not in refused.value.detail
    assert "nothing protects this machine" in refused.value.detail
    accepted = A2RBenchSettings(accept_weak_sandbox=True).accept_weak_sandbox
    assert tier.require_protection(accept_unprotected=accepted) is found


@pytest.mark.parametrize("name", ["seccomp", "bubblewrap"])
def test_the_kernel_s_tiers_need_no_word_of_the_operator(
    monkeypatch: pytest.MonkeyPatch, name: tier.Tier
) -> None:
    found = _stand_on(monkeypatch, name)
    assert tier.require_protection(accept_unprotected=False) is found
