"""Read the published items about six in a ring: names, facing, statements and question, by known sentences.

A sentence that is none of `prompts/knowlogic/published_ring.toml` is refused, so that nothing is guessed.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.schemas.knowlogic.things import GAP, Decision, Language, QuestionText
from perennial.tasks.knowlogic.arrangement.frame import verdict
from perennial.tasks.knowlogic.space.board import Fact, board, mask_all
from perennial.tasks.knowlogic.wording.layout import frame

_SIZE = 6
_GAP = re.compile(r"(?:\\?_){2,}")
_KNOWN = re.compile(r"已知[:：]|It is known that:?")
_ZH_NAMES = re.compile(r"([^，。、\s]+(?:、[^，。、\s]+?){5})六")
_EN_NAMES = re.compile(r"([^.,]+(?:,[^.,]+){5}),?\s*[—–-]+\s*these six ", re.IGNORECASE)
_FACING = {
    "ring_out": re.compile(r"面朝外|面向外|背对|facing outward|facing away|backs toward", re.IGNORECASE),
    "ring_in": re.compile(
        r"(?:面向|面朝|面对)[^，。背]{0,6}(?:圆心|中心)|facing (?:inward|(?:toward )?the center)",
        re.IGNORECASE,
    ),
}
_NUMBERS: dict[Language, tuple[str, ...]] = {
    "zh": ("一", "二", "三", "四", "五"),
    "en": ("first", "second", "third", "fourth", "fifth"),
}


def decide_ring(text: QuestionText, language: Language) -> Decision:
    """Return what the statements of a ring's item allow, and the verdict of each own option.

    Raises ValueError, with the reason, for an item that is read in no way or in more than one.
    """
    intro, *rest = _KNOWN.split(text.text)
    if len(rest) != 1:
        raise ValueError("no line introduces the statements")
    names = _read_names(intro, language)
    facing = [scenario for scenario, pattern in _FACING.items() if pattern.search(intro)]
    if len(facing) != 1:
        raise ValueError("the introduction does not say which way the six face")
    of = board(facing[0])
    statements = [_read(each, names, language) for each in _split(rest[0])]
    if not statements:
        raise ValueError("there is no statement")
    held = mask_all(of, statements)
    options = [of.mask(_read(each, names, language)) for each in _fill(text, language)]
    verdicts = tuple(verdict(held, each) if held else False for each in options)
    return Decision(held.bit_count() // of.scene.order, verdicts)


def _read_names(intro: str, language: Language) -> tuple[str, ...]:
    found = (_ZH_NAMES if language == "zh" else _EN_NAMES).search(intro)
    names = tuple(each.strip() for each in re.split("[、,]", found[1])) if found else ()
    if len(set(names)) != _SIZE:
        raise ValueError("the introduction does not name six in a way that is known")
    return names


def _split(said: str) -> list[str]:
    return [line for each in re.split(r"[;；。\n]|\.(?:\s|$)", said) if (line := each.strip(" \t,，."))]


def _fill(text: QuestionText, language: Language) -> list[str]:
    own = list(text.options)
    if own[-1].rstrip(".。").casefold() == frame("none_of_the_above", language).rstrip(".。").casefold():
        own.pop()
    if len(_GAP.findall(text.question)) != 1:
        raise ValueError("the question has not one gap to fill")
    asked = _GAP.sub(GAP, text.question).strip(" \n.。")
    return [asked.replace(GAP, option.strip(" .。")) for option in own]


def _read(sentence: str, names: tuple[str, ...], language: Language) -> Fact:
    found = set()
    for relation, pattern in _patterns(language, names):
        if match := pattern.fullmatch(sentence):
            found.add(Fact(relation, (names.index(match["a"]), names.index(match["b"]))))
    if len(found) != 1:
        raise ValueError(f"{sentence!r} is read in {len(found)} ways")
    return found.pop()


@lru_cache(maxsize=8)
def _patterns(language: Language, names: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(_write_patterns(language, "|".join(map(re.escape, sorted(names, key=len, reverse=True)))))


def _write_patterns(language: Language, names: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for row in load_sentences("published_ring").values():
        for words in row[language]:
            numbers = _NUMBERS[language] if "{n" in words else ("",)
            for number, called in enumerate(numbers, start=1):
                written = re.sub(r"\{n(?::th)?\}", called, words)
                pattern = written.replace("{a}", f"(?P<a>{names})").replace("{b}", f"(?P<b>{names})")
                yield row["relation"].replace("{n}", str(number)), re.compile(pattern, re.IGNORECASE)
