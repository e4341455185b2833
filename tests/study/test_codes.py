"""Codes: random, readable however they are typed, and of no use without their secret part."""

import random

import pytest

from perennial.schemas.errors import InvalidOption
from perennial.tasks.study import PUBLIC_LETTERS, SECRET_LETTERS, draw_code, parse_code, parse_public
from tests.study.study_root import Lab


def test_a_code_is_read_in_any_case_with_or_without_dashes() -> None:
    code = draw_code(random.Random(1))
    assert str(parse_code(str(code))) == str(code)
    assert str(parse_code(f"  {str(code).upper().replace('-', ' ')} ")) == str(code)
    assert str(parse_code(str(code).replace("0", "O").replace("1", "l"))) == str(code)
    assert parse_public(f"human:{code.public}") == parse_public(str(code)) == code.public
    assert 32**SECRET_LETTERS >= 2**40
    assert str(code) not in repr(code)


@pytest.mark.parametrize("text", ["", "x", "a" * 22 + "b", "u" * 22, "\x00" * 22, "é" * 22, "7" * 10_000])
def test_what_is_no_code_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(InvalidOption) as error:
        parse_code(text)
    assert "expected 22 letters" in str(error.value)
    assert len(text) < 2 or text[:20] not in str(error.value)


@pytest.mark.slow
def test_the_ledger_keeps_no_secret(lab: Lab) -> None:
    content = b"".join(path.read_bytes() for path in (lab.root / "studies" / "pilot").iterdir())
    for code in lab.codes:
        public, *secret = code.split("-")
        assert len(public) == PUBLIC_LETTERS
        assert public.encode() in content
        assert "".join(secret).encode() not in content
        assert "-".join(secret).encode() not in content
    assert (lab.root / "studies" / "pilot" / "ledger.sqlite").stat().st_mode & 0o77 == 0
