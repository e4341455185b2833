"""What is read of a reply: the letters in its last brackets, and how wrong letters differ from right ones.

The rule (section 4.1 of the paper): the last brackets that hold letters A to D count, square [], lenticular
or LaTeX's box, whatever the language of the question. Order and repeats of letters do not matter, nor do
case and full width. A label ('Answer:') and the text of an option behind its letter may stand in them;
brackets with anything else are passed over. Brackets side by side are one answer. Two different answers on
the last line that has any are none, nor are two that a reply calls its final answer, wherever they stand.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from perennial.schemas.knowlogic.things import LETTERS, Brackets, ErrorClass, Language
from perennial.schemas.text import latin_letters, plain_text

# Brackets without brackets in them, at most so long: what begins without end costs no more than it is long.
_FILLED = re.compile(
    r"\[([^\[\]【】]{1,60})\]|【([^\[\]【】]{1,60})】|"
    r"(\\boxed\{(?:\\text\{[^{}\[\]【】]{1,60}\}|[^{}\[\]【】]){1,60}\})"
)
_BOX = re.compile(r"\\boxed\{(.*)\}", re.DOTALL)
_TEXT = re.compile(r"\\text\{([^{}]*)\}")
_LABEL = re.compile(
    r"\s*(?:(?:the\s+)?(?:final\s+|correct\s+)?(?:answers?|options?)(?:\s+(?:is|are))?"
    r"|(?:最终|最后|正确)?(?:答案|选项)(?:是|为)?)\s*:?",
    re.I,
)
# Letters with the texts of their options: 'A. David, C. Mary', in Chinese without a space; 'A. C' is letters.
_ONE = r"[A-D]\.(?:\s+(?![A-D](?:\W|$))|(?=[^\x00-\x7f]))[^,;.]+"
_OPTIONS = re.compile(rf"\s*{_ONE}(?:[,;]\s*{_ONE})*\.?\s*")
_OPTION = re.compile(r"(?:^|[,;])\s*([A-D])\.")
# Commas, the Chinese enumeration comma, spaces, what Markdown or LaTeX put around a letter, and 'and'.
_SEPARATORS = re.compile(r"(?:[\s,、;/.&*_$\\和与及]|\band\b)+", re.I)
_SHORT, _NEAR = 20, 100
_ANNOUNCED = re.compile(r"answer|答案", re.I)
# What announces an answer as the last word: a reply may do so for one answer only.
_FINAL = re.compile(r"(?:final\s+answers?|最[终后]的?答案)[^.。!?]{0,40}$", re.I)
_FINAL_INSIDE = re.compile(r"final\s+answer|最[终后]答案", re.I)
_LETTERS_ONLY = re.compile(r"[A-Da-d]+")
_KINDS: dict[str, Brackets] = {"[": "square", "【": "lenticular", "\\": "boxed"}
_WRITTEN: dict[Language, str] = {"zh": "【{}】", "en": "[{}]"}


class ReadLetters(NamedTuple):
    """The letters that were read, sorted and each once, and the brackets that they stood in."""

    letters: str
    brackets: Brackets


class Reading(NamedTuple):
    """What a reply's brackets say: whether any hold letters, and the one answer in them."""

    is_found: bool
    answer: ReadLetters | None


def read_answer(reply: str) -> ReadLetters | None:
    """What the last brackets with letters say; None where there are none, or answers that differ."""
    return read_strictly(reply).answer


def read_strictly(reply: str) -> Reading:
    """Like `read_answer`, and whether any brackets hold letters."""
    narrow = latin_letters(plain_text(reply))
    # Of the line: the last answer, the last brackets, and the letters of the answers before.
    last, brackets, others = "", "", set[str]()
    finals: list[str] = []
    # Most replies have few such words and some have very many brackets: each word is looked for once.
    words = iter([*(match.start() for match in _ANNOUNCED.finditer(narrow)), len(narrow)])
    word = before = -1
    end, is_announced, is_final = 0, False, False
    for match in _FILLED.finditer(narrow):
        if not (letters := _read_letters(match[match.lastindex or 0])):
            continue
        start, stop = match.span()
        between = narrow[end:start]
        if "\n" in between:
            last, others, is_announced = "", set(), False
        while word < start:
            before, word = word, next(words)
        if last and start - end <= _SHORT and _is_separator(between):
            if letters != last and not set(letters) <= set(last):
                last, brackets = "".join(sorted({*last, *letters})), narrow[start]
                finals[-1:] = [last] if is_final else finals[-1:]
        else:
            is_near = before >= end and before >= start - _NEAR
            if is_near and not is_announced:
                last, others, is_announced = "", set(), True
            if last:
                others.add(last)
            last, brackets, is_final = letters, narrow[start], False
            if is_near or word < stop:
                is_said = is_near and _FINAL.search(between[-_NEAR:])
                is_final = bool(is_said or _FINAL_INSIDE.search(match[0]))
            if is_final:
                finals.append(letters)
        end = stop
    is_one = last and others <= {last} and len(set(finals)) < 2
    return Reading(bool(last), ReadLetters(last, _KINDS[brackets]) if is_one else None)


@lru_cache(maxsize=256)
def _is_separator(between: str) -> bool:
    return not between or _SEPARATORS.fullmatch(between) is not None


@lru_cache(maxsize=256)
def _read_letters(content: str) -> str:
    """The letters that the content of brackets says, sorted; "" where it says anything else."""
    if box := _BOX.search(content):
        content = _TEXT.sub(r"\1", box[1])
    if label := _LABEL.match(content):
        content = content[label.end() :]
    if _OPTIONS.fullmatch(content):
        content = "".join(_OPTION.findall(content))
    letters = _SEPARATORS.sub("", content)
    return "".join(sorted(set(letters.upper()))) if _LETTERS_ONLY.fullmatch(letters) else ""


def write_answer(letters: str, language: Language) -> str:
    """The letters in the brackets that the prompt of this language asks for."""
    return _WRITTEN[language].format(letters)


def classify_error(letters: str, right: str) -> ErrorClass | None:
    """What these letters are to the right ones, None where they are the same."""
    chosen, wanted = set(letters), set(right)
    if chosen == wanted:
        return None
    if not chosen & wanted:
        return "disjoint"
    return "subset" if chosen < wanted else "superset" if chosen > wanted else "overlap"


def letter_sets(number: int = len(LETTERS)) -> tuple[str, ...]:
    """All sets of one letter or more of the first so many, as sorted texts."""
    return tuple(
        "".join(letter for index, letter in enumerate(LETTERS) if bits >> index & 1)
        for bits in range(1, 1 << number)
    )


# The lenient reading of a reply: letters that a careful reader takes without the brackets asked for.
#
# What the strict reading takes (`perennial.tasks.knowlogic.answers`), it takes too. Else letters count that
# the reply announces ('The correct answer is: C.', '答案是 A、C', 'C is correct'), of which those that are
# called final count alone; or those that are all that it says, in emphasis, brackets or before
# the text of an option ('**C**', '(C)', '[C) text]'). Two different answers, a choice between
# letters and a negation are no answer.

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
_ANNOUNCEMENT = re.compile(
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
    """The letters that a careful reader takes from the reply, sorted; None without one answer."""
    strict = read_strictly(reply)
    if strict.is_found:
        return None if strict.answer is None else strict.answer.letters
    text = latin_letters(plain_text(reply[-_MOST_READ:]))
    others: set[str] = set()
    finals: set[str] = set()
    for pattern in (_ANNOUNCEMENT, _STATED):
        for match in pattern.finditer(text):
            before = _SENTENCE.split(text[max(0, match.start() - 60) : match.start()])[-1]
            letters = _sort(match["letters"])
            if not letters or _DENIED.search(before) or _TAKEN_BACK.match(text, match.end()):
                return None
            groups = match.groupdict()
            (finals if groups.get("final") or groups.get("last") else others).add(letters)
    answers = finals or others
    if answers:
        return answers.pop() if len(answers) == 1 else None
    is_short = len(text) <= _LONGEST_ONLY and len(_OPTION_LINES.findall(text)) < 2
    only = _ONLY.fullmatch(text) if is_short else None
    return None if only is None else _sort(only["letters"]) or None


def _sort(written: str) -> str:
    letters = re.findall("[A-D]", written)
    return "".join(sorted(letters)) if len({*letters}) == len(letters) else ""
