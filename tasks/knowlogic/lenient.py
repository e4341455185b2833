"""The lenient reading of a reply: letters that a careful reader takes without the brackets asked for.

What the strict reading takes (`perennial.tasks.knowlogic.answers`), it takes too. Else letters count that the
reply announces ('The correct answer is: C.', '答案是 A、C', 'C is correct'), of which those that are called
final count alone; or those that are all that it says, in emphasis, brackets or before the text of an option
('**C**', '(C)', '[C) text]'). Two different answers, a choice between letters and a negation are no answer.
"""

import re

from perennial.schemas.text.look_alikes import latin_letters, plain_text
from perennial.tasks.knowlogic.answers import read_strictly

_MOST_READ, _LONGEST_ONLY = 40_000, 400
_MARKS = r"[\s*_`\"'$(\[{【（<#>]{0,12}+(?:\\(?:boxed|text|textbf|mathbf)\{){0,3}"
_NOUN = r"(?:answers?|options?|choices?|letters?|statements?|responses?)"
_BETWEEN = r"(?:\s?(?:,|、|;|/|&|\+|和|与|及)\s?(?:and\s)?|\s(?:and|plus)\s)(?:option\s|statement\s|选项)?"
_MARK = r"[*_`\"'$()\[\]{}]{0,6}+"
_LETTER = rf"{_MARK}[A-D]{_MARK}"
# Letters side by side or with signs between; behind them no word goes on, but the text of an option may.
_SEVERAL = rf"(?P<letters>{_LETTER}(?:{_BETWEEN}{_LETTER}|(?=[A-D]){_LETTER}){{0,3}})"
_GOES_ON = r"(?:is|are|and|as|because|since|for|but|with|which|only)\b"  # behind an A that is no article
_LETTERS = _SEVERAL + rf"(?![A-Za-z0-9'’]|\s?(?:or|或)\b|\s?[?？]|(?<=A)\s(?!{_GOES_ON})[a-z])"
_ANNOUNCED = re.compile(
    rf"(?:(?i:(?P<final>final\s|overall\s)?(?:(?:in)?correct\s|right\s|best\s)?{_NOUN}"
    rf"(?:\s(?:is|are|was|would\sbe|should\sbe|must\sbe|choice\sis))?|(?:is|are)\stherefore)"
    r"|(?P<last>最[终后]的?)?(?:正确|错误)?的?(?:答案|选项|结论)(?:应该|应)?(?:是|为|选)?|(?:故|应|所以|因此)选择?|^选择?)"
    rf"[\s:：=\-*_]{{0,8}}+(?i:(?:{_NOUN}|only|both|选项)\s?:?\s?)?{_MARKS}{_LETTERS}",
    re.MULTILINE,
)
_STATED = re.compile(
    rf"(?<![A-Za-z]){_LETTERS}\s(?i:(?:is|are)\s(?:both\s)?(?:the\s)?(?:only\s)?(?:in)?(?:correct|right|true)\b)"
)
_ONLY = re.compile(
    rf"\s*(?i:(?:{_NOUN}|选项)\s?:?\s?)?{_MARKS}{_SEVERAL}"
    r"(?:(?:[.:：,)）、]|(?<=[)）]))[^\n]*)?[\s.。!*_`\"'$)\]}】）>]{0,12}"
)
_OPTION_LINES = re.compile(r"^[\s*_(\[-]{0,6}[A-D][.:)、）]", re.MULTILINE)
_DENIED = re.compile(r"(?i:\b(?:not|never|neither|nor|cannot|doubt|unlikely)\b|n't\b)|不|并非|而非|没有")
_TAKEN_BACK = re.compile(
    r"[^.\n。;]{0,3}\s?(?i:(?:is|are|was|were|would\sbe)\s?(?:not|n't|wrong|false|incorrect))"
    r"|[^.\n。]{0,3}(?:不对|错了|不正确)"
)
_SENTENCE = re.compile(r"[.!?\n。！？;；]")


def read_leniently(reply: str) -> str | None:
    """Return the letters that a careful reader takes from the reply, sorted; None without one answer."""
    strict = read_strictly(reply)
    if strict.is_found:
        return None if strict.answer is None else strict.answer.letters
    text = latin_letters(plain_text(reply[-_MOST_READ:]))
    said: set[str] = set()
    finals: set[str] = set()
    for pattern in (_ANNOUNCED, _STATED):
        for found in pattern.finditer(text):
            before = _SENTENCE.split(text[max(0, found.start() - 60) : found.start()])[-1]
            letters = _sort(found["letters"])
            if not letters or _DENIED.search(before) or _TAKEN_BACK.match(text, found.end()):
                return None
            groups = found.groupdict()
            (finals if groups.get("final") or groups.get("last") else said).add(letters)
    answers = finals or said
    if answers:
        return answers.pop() if len(answers) == 1 else None
    is_short = len(text) <= _LONGEST_ONLY and len(_OPTION_LINES.findall(text)) < 2
    only = _ONLY.fullmatch(text) if is_short else None
    return None if only is None else _sort(only["letters"]) or None


def _sort(written: str) -> str:
    letters = re.findall("[A-D]", written)
    return "".join(sorted(letters)) if len({*letters}) == len(letters) else ""
