"""Every sentence and introduction is as it was read by eye."""

import pytest

from perennial.schemas.knowlogic.things import LANGUAGES, Language
from tests.knowlogic.golden.golden_texts import WRITERS, golden_file


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("domain", WRITERS)
def test_golden_texts(domain: str, language: Language) -> None:
    assert WRITERS[domain](language) == golden_file(domain, language).read_text(encoding="utf-8")
