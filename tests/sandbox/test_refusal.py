"""What code prints and raises is shown without what steers a terminal or hides in a page."""

import unicodedata

import pytest

from perennial.tasks.sandbox.refusal import SandboxRefusal
from perennial.tasks.sandbox.tier import Worker, run_code
from tests.sandbox.hostile import PRELUDE
from tests.sandbox.programs import FAST
from tests.sandbox.tiers import KERNEL_JAILS

SIGNS = "\x1b[2J\x07\r\n\x7f\x9b\u202e\u2066\u200f\u200b\u2028\ufeff\U000e0041"


def is_plain(text: str) -> bool:
    return text.isprintable() and not any(unicodedata.category(sign) in ("Cc", "Cf", "Cs") for sign in text)


@pytest.mark.parametrize(
    "code",
    [
        f"def f(x): raise ValueError({SIGNS!r} + x)",
        f"def f(x): raise KeyError({SIGNS!r})",
        f"def f(x): raise {SIGNS!r}",
        f"raise Exception({SIGNS!r})\ndef f(x): return x",
        f"def f(x):\n print({SIGNS!r})\n return [{{{SIGNS!r}: None}}]",
        f"def f(x):\n print({SIGNS!r}, file={SIGNS!r}, end={SIGNS!r})\n 1 / 0",
        f"def f(x): return int({SIGNS!r})",
        "def f(x): return x.\u202eappend",
        "def f(x): return '\u202e",
        "def f(x):\n\x0c \x1b return x",
        "import a\u0301\u202e\ndef f(x): return x",
    ],
)
def test_what_code_raises_is_escaped(code: str) -> None:
    with pytest.raises(SandboxRefusal) as refused:
        run_code(code, "f", [SIGNS], FAST)
    assert is_plain(refused.value.detail)
    assert is_plain(str(refused.value))


def test_every_sign_is_plain_or_an_escape() -> None:
    for sign in map(chr, (*range(0x20000), *range(0xE0000, 0xE0200))):
        if not sign.isprintable():
            shown = SandboxRefusal("raised", f"a{sign}b").detail
            assert shown.isascii()
            assert shown.startswith("a\\")
    assert SandboxRefusal("raised", "é 中 ok").detail == "é 中 ok"


@pytest.mark.skipif(not KERNEL_JAILS, reason="this machine has no seccomp")
def test_what_a_forged_reply_says_is_escaped() -> None:
    """Code past every check writes the reply itself, with a nonce that it read from the request's frame."""
    forged = (
        ' frame = sys._getframe()\n while "request" not in frame.f_locals: frame = frame.f_back\n'
        ' nonce = frame.f_locals["request"]["nonce"]\n'
        ' text = \'{"nonce":"\' + nonce + \'","refused":"raised","detail":"\\\\u202e\\\\u001b[2J"}\'\n'
        " os.write(4, text.encode() + bytes([10]))\n while True: pass\n"
    )
    with Worker(FAST) as worker:
        worker.define(PRELUDE + forged, "f")
        with pytest.raises(SandboxRefusal) as refused:
            worker.call("x")
    assert refused.value.reason == "raised"
    assert refused.value.detail == "\\u202e\\x1b[2J"
