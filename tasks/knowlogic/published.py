"""Questions in the form that the authors published."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from perennial.prompts.knowlogic.sentences import load_sentences
from perennial.prompts.render import template_hash
from perennial.schemas.errors import UnreadableInput, join_choices, quote
from perennial.schemas.ids import canonical_json, content_id
from perennial.schemas.json_text import read_json
from perennial.schemas.knowlogic.things import (
    DIFFICULTIES,
    DOMAINS,
    GAP,
    LANGUAGES,
    LETTERS,
    DomainName,
    EngineDecision,
    ItemVerdict,
    Knowledge,
    Language,
    QuestionText,
)
from perennial.tasks.knowlogic.answers import read_answer
from perennial.tasks.knowlogic.arrangement import verdict
from perennial.tasks.knowlogic.layout import frame, prompt_template, read_text, write_prompt
from perennial.tasks.knowlogic.problem import find_domain
from perennial.tasks.knowlogic.space.reasoning import Fact, load_board, mask_all

# Questions of the published data set's form: JSON or JSON Lines, an object per question in one language.
#
# Each has id, text, question, options (four texts, or A to D by letter), answer (letters), domain, language
# and difficulty. Rows of one id in two languages are a pair. Nothing is known of how a question was made.

MAX_QUESTIONS = 100_000
_MAX_CHARACTERS = 20_000
_TEXTS = ("text", "question")
_FIELDS = ("id", *_TEXTS, "options", "answer", "domain", "language", "difficulty")
_LANGUAGES: dict[str, Language] = {"zh": "zh", "en": "en", "chinese": "zh", "english": "en", "cn": "zh"}


class Imported(NamedTuple):
    """A question as it was read: the row's columns that are known, by name."""

    instance_id: str
    pair: str
    language: Language
    domain: str
    texts: QuestionText
    letters: str
    difficulty: str

    def row(self) -> dict[str, Any]:
        """Its row of `knowlogic_questions`, without the columns that nothing is known of."""
        return {
            "instance_id": self.instance_id,
            "pair": self.pair,
            "language": self.language,
            "domain": self.domain,
            **self.texts._asdict(),
            "letters": self.letters,
            "has_none": _is_none(self.texts.options[-1], self.language),
            "difficulty": self.difficulty,
            "prompt": write_prompt(self.texts, self.language),
            "template_hash": template_hash(prompt_template(self.language)),
        }


def read_questions(text: str, source: str) -> list[Imported]:
    """The questions of a file's text, in its order.

    Raises UnreadableInput, naming `place`, line or number, and field, for the first thing that is not as
    expected, for an id that one language has twice, and for more questions than are read.
    """
    questions: dict[tuple[str, Language], Imported] = {}
    for where, value in _objects(text, source):
        question = _read_one(value, where)
        if questions.setdefault((question.pair, question.language), question) is not question:
            raise UnreadableInput(
                f"{where}, field id: {quote(value['id'])} stands twice in language {question.language}"
            )
        other = next((twin for name in LANGUAGES if (twin := questions.get((question.pair, name)))), question)
        if other.letters != question.letters:
            raise UnreadableInput(
                f"{where}, field answer: {question.letters} in {question.language} and {other.letters} in "
                f"{other.language} for id {quote(value['id'])}; the two texts of a question have one answer: "
                "correct it, or give them two ids"
            )
        if len(questions) > MAX_QUESTIONS:
            raise UnreadableInput(f"{source}: more than {MAX_QUESTIONS:,} questions; give a smaller file")
    if not questions:
        raise UnreadableInput(f"{source}: it holds no question; expected JSON or JSON Lines")
    return list(questions.values())


def _objects(text: str, source: str) -> Iterator[tuple[str, Any]]:
    """Each object of a JSON array, or of JSON Lines, with where it stands."""
    if text.lstrip().startswith("["):
        for number, value in enumerate(read_json(text, source), start=1):
            yield f"{source}, question {number}", value
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            where = f"{source}, line {number}"
            yield where, read_json(line, where)


def _read_one(value: Any, where: str) -> Imported:
    if not isinstance(value, dict):
        raise UnreadableInput(
            f"{where}: {quote(value)} is not an object with the fields {', '.join(_FIELDS)}"
        )
    for name in _FIELDS:
        if name not in value:
            raise UnreadableInput(f"{where}: the field {name} is missing")
    identity = value["id"]
    if not isinstance(identity, str | int) or isinstance(identity, bool) or not str(identity).strip():
        raise UnreadableInput(f"{where}, field id: {quote(identity)}, expected a text or a whole number")
    language = _LANGUAGES[_choose(value, "language", tuple(_LANGUAGES), where)]
    domain = _choose(value, "domain", DOMAINS, where)
    difficulty = _choose(value, "difficulty", DIFFICULTIES, where)
    text, question = (_text(value[name], f"{where}, field {name}") for name in _TEXTS)
    texts = QuestionText(text, question, _options(value["options"], where))
    pair = content_id("kp", "imported", domain, str(identity))
    letters = _letters(value["answer"], where)
    # Another version of the file may ask something else under the same id.
    instance_id = content_id("kl", pair, language, texts, letters)
    return Imported(instance_id, pair, language, domain, texts, letters, difficulty)


def _choose(value: dict[str, Any], name: str, choices: tuple[str, ...], where: str) -> str:
    text = value[name]
    if not isinstance(text, str) or text.strip().lower() not in choices:
        raise UnreadableInput(f"{where}, field {name}: {quote(text)}, expected {join_choices(choices)}")
    return text.strip().lower()


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UnreadableInput(f"{where}: {quote(value)}, expected a text")
    if len(value) > _MAX_CHARACTERS:
        raise UnreadableInput(f"{where}: {len(value):,} characters, expected at most {_MAX_CHARACTERS:,}")
    return value.strip()


def _options(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, dict) and sorted(value) == list(LETTERS):
        value = [value[letter] for letter in LETTERS]
    if not isinstance(value, list) or len(value) != len(LETTERS):
        raise UnreadableInput(f"{where}, field options: expected four texts, or A to D by letter")
    options = tuple(_text(option, f"{where}, field options") for option in value)
    if len(set(options)) < len(options):
        raise UnreadableInput(f"{where}, field options: two are the same, expected four different ones")
    # An option stands on one line of the prompt.
    return tuple(" ".join(option.split()) for option in options)


def _letters(value: Any, where: str) -> str:
    text = "".join(map(str, value)) if isinstance(value, list) else value
    answer = read_answer(f"[{text.strip(' []【】')}]") if isinstance(text, str) else None
    if answer is None:
        raise UnreadableInput(f"{where}, field answer: {quote(value)}, expected letters A to D, such as AC")
    return answer.letters


def _is_none(option: str, language: Language) -> bool:
    return option.rstrip(".。").casefold() == frame("none_of_the_above", language).casefold()


# Read the questions that KnowLogic's paper prints, from its text: those of table 7 and of figures 13 to 23.
#
# Nothing is repaired: an item that the text does not have whole is returned with what is missing.

_TAGS = re.compile(r"<br\s*/?>|</?p>|\*\*", re.IGNORECASE)
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ASKED = r"(?:问题|[Qq]uestion)\s*[:：]\s*(?P<question>.*?)\s*"
_KEY = r"(?:答案|Answer)\s*[:：]\s*(?P<key>[A-D]+)\)?\s*"
_SHOWN = r"(?:选项|Options|options)\s*[:：]\s*(?P<options>A.*?D\s*\.?[^\n]*)\s*"
# In some items of table 7 the answer is printed before the options; in some nothing introduces the question.
_ITEMS = (
    re.compile(_ASKED + _SHOWN + _KEY, re.DOTALL),
    re.compile(_ASKED + _KEY + _SHOWN, re.DOTALL),
    re.compile(r"\n(?P<question>[^\n]*_[^\n]*)\s*" + _SHOWN + _KEY, re.DOTALL),
)
_OPTIONS = re.compile(r"\s*".join(rf"{letter}\s*\.(.*?)" for letter in LETTERS) + r"\s*\Z", re.DOTALL)
_PART = re.compile(r"^\s*(Question|Options|Correct Answer|Model Name)(?:-(EN|CN))?\s*$", re.MULTILINE)
_CAPTION = re.compile(r"^Figure (\d+): ", re.MULTILINE)
_NOT_WHOLE = "the text at hand has no whole question of it"
# Longer ones than a paper prints are not searched: a search takes time by the square of the length.
_LONGEST, _LONGEST_OPTIONS = 20_000, 2_000
_FIGURES = range(13, 24)
# Signs of a domain in a text, the first that is met; figures do not name theirs.
_SIGNS = (
    ("mix", "items are placed on|种商品"),
    ("nature", "enclosure|场馆|fields|块田|photos|照片"),
    ("space", "circle|圆圈|hexagon|六边形|tier"),
    ("time", "weekly plans|每周|life of|一生"),
    ("social", "前妻|挚友|同级生|朋友|外孙|哥哥"),
)


class PrintedItem(NamedTuple):
    """A printed question in one language; None, with the reason, where the text does not have all of it."""

    source: str
    domain: str
    kind: str
    language: Language
    question: Imported | None
    missing: str


def read_printed_items(text: str, name: str) -> list[PrintedItem]:
    """The items in the order of the text; raise UnreadableInput, naming `name`, where it has none."""
    items = [*_items_of_table(text), *_items_of_figures(_TAGS.sub("\n", text))]
    if not items:
        raise UnreadableInput(
            f"{name}: no printed question in it; expected the text of KnowLogic's paper, with table 7"
        )
    return items


def _items_of_table(text: str) -> Iterator[PrintedItem]:
    """The items of table 7: a row whose third cell is filled begins a pair of texts."""
    domain = kind = ""
    pair: list[str] = []
    before, caption, _ = text.partition("\nTable 7:")
    rows = [line.strip().strip("|").split("|") for line in before.split("\n") if line.startswith("|")]
    for row in (*(rows if caption else ()), ["", "", "end", ""]):  # which ends the last pair
        cells = [_TAGS.sub("\n", cell).strip() for cell in row]
        is_heading = "".join(cells).strip("-") == "" or cells[-1].startswith("Example of question")
        if is_heading or len(cells) != len(LETTERS) or not (pair or _CHINESE.search(cells[3])):
            continue
        if cells[2] and pair:
            yield from _items_of_pair("table 7", domain, kind, "\n".join(pair))
            pair = []
        if cells[0].lower() in DOMAINS:
            domain = cells[0].lower()
        if cells[2]:
            kind = " ".join(cells[2].split())
        pair.append(cells[3])


def _items_of_pair(source: str, domain: str, kind: str, text: str) -> Iterator[PrintedItem]:
    start = 0
    for language in LANGUAGES:
        item = PrintedItem(source, domain, kind, language, None, _NOT_WHOLE)
        patterns = _ITEMS if len(text) <= _LONGEST else ()
        matches = [match for pattern in patterns if (match := pattern.search(text, start))]
        if not matches:
            yield item
            continue
        first = min(matches, key=lambda match: (match.start(), match.end()))
        body = re.sub(r"^\s*\(?(?:Known:)?", "", text[start : first.start()])
        start = first.end()
        yield _read_item(item, body, first["question"], first["options"], first["key"])


def _items_of_figures(text: str) -> Iterator[PrintedItem]:
    ends = [(int(caption[1]), caption.start(), caption.end()) for caption in _CAPTION.finditer(text)]
    start = 0
    for number, end, after in ends:
        if number in _FIGURES:
            yield from _items_of_figure(f"figure {number}", text[start:end])
        start = after


def _items_of_figure(source: str, text: str) -> Iterator[PrintedItem]:
    parts: dict[tuple[str, str], str] = {}
    marks = list(_PART.finditer(text))
    for mark, following in zip(marks, (*marks[1:], None), strict=False):
        parts[mark[1], mark[2] or ""] = text[mark.end() : following.start() if following else None].strip()
    key = re.sub(r"[^A-D]", "", parts.get(("Correct Answer", ""), ""))
    for language in LANGUAGES:
        suffix = "CN" if language == "zh" else "EN"
        asked, options = (
            parts.get((name, suffix)) or _in_language(parts.get((name, ""), ""), language)
            for name in ("Question", "Options")
        )
        if not asked:
            continue  # Most figures have one language.
        everything = parts.get(("Question", suffix)) or parts[("Question", "")]
        domain = next((name for name, signs in _SIGNS if re.search(signs, everything)), "")
        # The last sentence is the question: it has the gap.
        body, _, question = asked.rstrip(" \n.。").rpartition("\n")
        if language == "en" and "_" in question and ". " in question:
            conclusion, _, question = question.rpartition(". ")
            body = f"{body}\n{conclusion}"
        elif language == "zh" and "。" in question.strip(" 。"):
            conclusion, _, question = question.strip(" 。").rpartition("。")
            body = f"{body}\n{conclusion}"
        item = PrintedItem(source, domain, "", language, None, _NOT_WHOLE)
        yield _read_item(item, body, question, options, key)


def _in_language(text: str, language: Language) -> str:
    """The lines of a text in both languages that are in this one: English stands in brackets.

    A word in brackets behind another is that word in English.
    """
    if not _CHINESE.search(text):
        return text if language == "en" else ""
    paragraphs = re.split(r"\n(?=\s*\()|(?<=\))\s*\n", text)
    english = [
        part.strip()[1:-1]
        for part in paragraphs
        if part.strip().startswith("(") and part.strip().endswith(")")
    ]
    if language == "en":
        lines = english or [
            re.sub(r"^\s*([A-D])\s*\..*\(([^()]*)\)\s*$", r"\1. \2", line) for line in text.split("\n")
        ]
        return "\n".join(line for line in lines if not _CHINESE.search(line))
    chinese = [part for part in paragraphs if not part.strip().startswith("(")]
    return re.sub(r"\([^()\u4e00-\u9fff]*\)", "", "\n".join(chinese))


def _read_item(item: PrintedItem, body: str, question: str, printed: str, key: str) -> PrintedItem:
    """The item with its question, or with the reason why that is not whole."""
    options = _OPTIONS.match(printed.strip()) if len(printed) <= _LONGEST_OPTIONS else None
    if not item.domain or not options or not key:
        part = "domain" if not item.domain else "options" if not options else "answer"
        return item._replace(missing=f"its {part} is not readable in this text")
    value = {
        "id": item.source,
        "text": body.strip(),
        "question": question.strip(),
        "options": [option.strip(" ;；\n") for option in options.groups()],
        "answer": key,
        "domain": item.domain,
        "language": item.language,
        "difficulty": "medium",  # The paper does not print it, and no verdict looks at it.
    }
    try:
        (imported,) = read_questions(canonical_json(value), item.source)
    except UnreadableInput as error:
        return item._replace(missing=str(error))
    return item._replace(question=imported, missing="")


# Read the published items about six in a ring: names, facing, statements and question, by known sentences.
#
# A sentence that is none of `prompts/knowlogic/published_ring.toml` is refused, so that nothing is guessed.

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


def decide_ring(text: QuestionText, language: Language) -> EngineDecision:
    """What the statements of a ring's item allow, and the verdict of each own option.

    Raises ValueError, with the reason, for an item that is read in no way or in more than one.
    """
    intro, *rest = _KNOWN.split(text.text)
    if len(rest) != 1:
        raise ValueError("no line introduces the statements")
    names = _read_names(intro, language)
    facing = [scenario for scenario, pattern in _FACING.items() if pattern.search(intro)]
    if len(facing) != 1:
        raise ValueError("the introduction does not say which way the six face")
    board = load_board(facing[0])
    statements = [_read(sentence, names, language) for sentence in _split(rest[0])]
    if not statements:
        raise ValueError("there is no statement")
    held = mask_all(board, statements)
    options = [board.mask(_read(sentence, names, language)) for sentence in _fill(text, language)]
    verdicts = tuple(verdict(held, option) if held else False for option in options)
    return EngineDecision(held.bit_count() // board.scene.order, verdicts)


def _read_names(intro: str, language: Language) -> tuple[str, ...]:
    match = (_ZH_NAMES if language == "zh" else _EN_NAMES).search(intro)
    names = tuple(name.strip() for name in re.split("[、,]", match[1])) if match else ()
    if len(set(names)) != _SIZE:
        raise ValueError("the introduction does not name six in a way that is known")
    return names


def _split(text: str) -> list[str]:
    return [line for part in re.split(r"[;；。\n]|\.(?:\s|$)", text) if (line := part.strip(" \t,，."))]


def _fill(text: QuestionText, language: Language) -> list[str]:
    options = list(text.options)
    if options[-1].rstrip(".。").casefold() == frame("none_of_the_above", language).rstrip(".。").casefold():
        options.pop()
    if len(_GAP.findall(text.question)) != 1:
        raise ValueError("the question has not one gap to fill")
    asked = _GAP.sub(GAP, text.question).strip(" \n.。")
    return [asked.replace(GAP, option.strip(" .。")) for option in options]


def _read(sentence: str, names: tuple[str, ...], language: Language) -> Fact:
    facts = set()
    for relation, pattern in _patterns(language, names):
        if match := pattern.fullmatch(sentence):
            facts.add(Fact(relation, (names.index(match["a"]), names.index(match["b"]))))
    if len(facts) != 1:
        raise ValueError(f"{sentence!r} is read in {len(facts)} ways")
    return facts.pop()


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


# Verdicts of our engine on imported questions: whether their key follows from their text.
#
# The engine reads a text where every line of it is known: by the templates that our own questions are written
# with, or by the published sentences about six in a ring (`published_ring`). Any other text is undecided.

_MOST = 200


class ItemFinding(NamedTuple):
    """The verdict on an item, the letters that follow where it is decided, and the reason in words."""

    verdict: ItemVerdict
    letters: str | None
    reason: str


def judge_item(item: Imported, knowledge: Knowledge) -> ItemFinding:
    """The engine's verdict on an imported question."""
    reasons = []
    for name, read in (("templates", _decide_ours), ("published ring", _decide_published)):
        try:
            decision = read(item, knowledge)
        except (ValueError, LookupError) as error:
            reasons.append(f"{name}: {error}")
        else:
            return _compare(item, decision)
    return ItemFinding("undecided", None, "; ".join(reasons)[:_MOST])


def _decide_ours(item: Imported, knowledge: Knowledge) -> EngineDecision:
    name: DomainName = item.domain  # type: ignore[assignment]  # one of them: `read_questions` checked it
    domain = find_domain(name, knowledge)
    return domain.decide(read_text(domain, item.texts, item.language))


def _decide_published(item: Imported, _: Knowledge) -> EngineDecision:
    if item.domain != "space":
        raise ValueError(f"no items of {item.domain} are read")
    return decide_ring(item.texts, item.language)


def _compare(item: Imported, decision: EngineDecision) -> ItemFinding:
    if not decision.arrangements:
        return ItemFinding("impossible", None, "the statements allow no arrangement")
    if None in decision.verdicts:
        letter = LETTERS[decision.verdicts.index(None)]
        reason = f"option {letter} is true in some of {decision.arrangements} arrangements only"
        return ItemFinding("open", None, reason)
    incorrect = frame("incorrect_statements", item.language).casefold()
    wanted = item.texts.question.casefold() != incorrect
    letters = "".join(LETTERS[index] for index, decided in enumerate(decision.verdicts) if decided is wanted)
    if not letters and len(decision.verdicts) < len(LETTERS):
        letters = LETTERS[-1]
    if letters == item.letters:
        return ItemFinding("agrees", letters, f"{letters} follows from the statements")
    follows = letters or "no letter"
    return ItemFinding(
        "differs", letters, f"{follows} follows from the statements, and the key is {item.letters}"
    )
